import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import type { Facts } from '../facts/facts.ts'
import { claimJob, completeJob, listOverdueJobs, releaseJob, renewLease } from '../store/job-queue.ts'
import { failJob, type Job, type JobWithBody } from '../store/jobs.ts'
import type { Store } from '../store/open-store.ts'
import { runJob, type JobOutcome } from './run-job.ts'
import type { ReportStorage } from './storage.ts'
import { sweepReports } from './sweep-reports.ts'

export type WorkerSettings = {
  /** How many reports are made at once. */
  readonly slots: number
  readonly freeBytesMin: number
  /** How long a finished job and its report are kept. */
  readonly keepMs: number
}

type Deps = {
  readonly facts: Facts
  readonly store: Store
  readonly storage: ReportStorage
  readonly log: Logger
  readonly now: () => number
}

/** A worker that dies is missed after this long; one that lives says so four times as often. */
const leaseMs = 20_000
const heartbeatMs = 5_000
/** How soon a job is seen that another node has accepted. */
const idleMs = 1_000
const sweepMs = 60_000
const attemptsMax = 5
const backoffMsMin = 2_000
/** An engine that is down is looked at again after this long, for as long as the job has time. */
const putOffMs = 5_000
const overdueReason = 'The report was not ready in time. Ask for fewer days or fields, or try again later.'

type Claimed = { readonly job: JobWithBody; readonly stop: AbortController }

/** Makes reports out of jobs, several at once, until it is stopped. */
export class ReportWorkers {
  readonly #deps: Deps
  readonly #settings: WorkerSettings
  /** Of this process: one that starts again is another, and waits until its forerunner is missed. */
  readonly #name = `worker_${randomUUID()}`
  readonly #running = new Map<string, { readonly accountId: string; readonly stop: AbortController }>()
  readonly #stopping = new AbortController()
  readonly #wakers = new Set<() => void>()
  #claiming: Promise<unknown> = Promise.resolve()
  #done: Promise<unknown> = Promise.resolve()

  constructor(deps: Deps, settings: WorkerSettings) {
    this.#deps = deps
    this.#settings = settings
  }

  start(): void {
    const slots = Array.from({ length: this.#settings.slots }, () => this.#work())
    this.#done = Promise.all([...slots, this.#keepHouse()])
  }

  /** A job has come in: no need to wait for the next look. */
  wake(): void {
    for (const waker of this.#wakers) waker()
  }

  /** Gives up a job that was cancelled; other nodes notice with their next heartbeat. */
  cancel(jobId: string): void {
    this.#running.get(jobId)?.stop.abort()
  }

  /** Leaves jobs under way to whoever comes next. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.wake()
    for (const { stop } of this.#running.values()) stop.abort()
    await this.#done
  }

  async #work(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        const claimed = await this.#claim()
        if (claimed) await this.#run(claimed.job, claimed.stop)
        else await this.#pause(idleMs)
      } catch (error) {
        this.#deps.log.error({ err: error }, 'report worker failed; trying again')
        await this.#pause(idleMs)
      }
    }
  }

  /** One place after the other: each must see what those before it have taken. */
  #claim(): Promise<Claimed | undefined> {
    const claimed = this.#claiming.then(() => this.#claimNext())
    this.#claiming = claimed.catch(() => {})
    return claimed
  }

  async #claimNext(): Promise<Claimed | undefined> {
    const { store, now } = this.#deps
    if (this.#stopping.signal.aborted) return undefined
    // One place is always left to the others, however many jobs an account has.
    const placesMax = Math.max(1, this.#settings.slots - 1)
    const accounts = [...this.#running.values()].map(({ accountId }) => accountId)
    const passOver = accounts.filter((id) => accounts.filter((other) => other === id).length >= placesMax)
    const job = await claimJob(store, { worker: this.#name, now: now(), leaseMs, passOver })
    if (!job) return undefined
    const stop = new AbortController()
    this.#running.set(job.id, { accountId: job.accountId, stop })
    return { job, stop }
  }

  async #run(job: JobWithBody, stop: AbortController): Promise<void> {
    const { log, now } = this.#deps
    if (this.#stopping.signal.aborted) stop.abort()
    let progress = job.progress
    const beat = setInterval(() => {
      void this.#keep(job, progress).then((isOurs) => isOurs || stop.abort())
    }, heartbeatMs)
    try {
      const outcome = await runJob(this.#deps, job, {
        msMax: Math.max(1_000, job.deadlineAt - now()),
        freeBytesMin: this.#settings.freeBytesMin,
        signal: stop.signal,
        onProgress: (value) => (progress = Math.max(progress, value)),
      }).catch((error: unknown): JobOutcome => {
        log.error({ err: error, job: job.id }, 'a report failed')
        return { trouble: 'Something went wrong on our side. Please start the report again.' }
      })
      await this.#settle(job, outcome)
    } finally {
      clearInterval(beat)
      this.#running.delete(job.id)
    }
  }

  /** Renews the lease. A store that does not answer is no reason to stop: the lease lasts for several tries. */
  async #keep(job: Job, progress: number): Promise<boolean> {
    const { store, log, now } = this.#deps
    if (now() >= job.deadlineAt) return false
    try {
      return await renewLease(store, { id: job.id, worker: this.#name, leaseUntil: now() + leaseMs, progress })
    } catch (error) {
      log.warn({ err: error, job: job.id }, 'a lease could not be renewed')
      return true
    }
  }

  async #settle(job: Job, outcome: JobOutcome): Promise<void> {
    const { store, storage, log, now } = this.#deps
    const claim = { id: job.id, worker: this.#name }
    const expiresAt = now() + this.#settings.keepMs
    if ('report' in outcome) {
      const { report } = outcome
      const isKnown = await completeJob(store, { ...claim, made: report, now: now(), expiresAt })
      if (!isKnown) await storage.remove(report.file)
      log.info({ job: job.id, account: job.accountId, rows: report.rows, bytes: report.bytes, isKnown }, 'report made')
      return
    }
    const isStopping = this.#stopping.signal.aborted
    if ('isPutOff' in outcome || ('trouble' in outcome && isStopping)) {
      // Not the job's fault, so not one of its attempts.
      const availableAt = now() + (isStopping ? 0 : putOffMs)
      await releaseJob(store, { ...claim, availableAt, attempts: job.attempts - 1 })
      return
    }
    const isLate = now() >= job.deadlineAt
    const reason = isLate ? overdueReason : 'failure' in outcome ? outcome.failure : outcome.trouble
    const backoffMs = backoffMsMin * 2 ** job.attempts
    if ('trouble' in outcome && job.attempts < attemptsMax && now() + backoffMs < job.deadlineAt) {
      const again = { ...claim, availableAt: now() + backoffMs, attempts: job.attempts }
      if (await releaseJob(store, again))
        log.warn({ job: job.id, attempt: job.attempts, reason }, 'report is tried again')
      return
    }
    const hasFailed = await failJob(store, { id: job.id, reason, now: now(), expiresAt })
    if (hasFailed) log.warn({ job: job.id, account: job.accountId, reason }, 'report failed')
  }

  /** Ends what can no longer succeed, and clears away what nobody needs. */
  async #keepHouse(): Promise<void> {
    const { store, log, now } = this.#deps
    while (!this.#stopping.signal.aborted) {
      try {
        for (const id of await listOverdueJobs(store, now())) {
          await failJob(store, { id, reason: overdueReason, now: now(), expiresAt: now() + this.#settings.keepMs })
        }
        await sweepReports(this.#deps)
      } catch (error) {
        log.error({ err: error }, 'old reports could not be cleared away')
      }
      await this.#pause(sweepMs)
    }
  }

  #pause(ms: number): Promise<void> {
    if (this.#stopping.signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer)
        this.#wakers.delete(end)
        resolve()
      }
      const timer = setTimeout(end, ms)
      this.#wakers.add(end)
    })
  }
}
