import type { Logger } from 'pino'
import type { Facts } from '../facts/facts.ts'
import { claimJob, completeJob, failClaimedJob, isHeld, releaseJob, renewLease } from '../store/job-queue.ts'
import type { Job, JobWithBody } from '../store/jobs.ts'
import type { Store } from '../store/open-store.ts'
import { DiskWatch } from './disk-watch.ts'
import { overdueReason } from './end-overdue-jobs.ts'
import { runJob, type JobOutcome } from './run-job.ts'
import type { ReportStorage } from './storage.ts'

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

/** A worker that dies is missed after this long; one that lives renews its lease four times as often. */
const leaseMs = 20_000
const renewMs = 5_000
/** How soon a worker notices that its job was cancelled on another node. */
const lookMs = 1_000
/** How soon a job is seen that another node has accepted. */
const idleMs = 1_000
const attemptsMax = 5
const exhaustedReason = `The report was broken off ${attemptsMax} times. Ask for fewer days or fields, or try again later.`
const backoffMsMin = 2_000
/** What a server lacks is looked at again after this long, for as long as the job has time. */
const putOffMs = { engine: 5_000, disk: 30_000 }

type Claimed = { readonly job: JobWithBody; readonly stop: AbortController }

/** Makes reports out of jobs, several at once, until it is stopped. */
export class ReportWorkers {
  readonly #deps: Deps
  readonly #settings: WorkerSettings
  readonly #disk: DiskWatch
  /** By the claim, not by the job: a slot that was stalled may still be at an attempt that another has taken over. */
  readonly #running = new Set<Claimed>()
  readonly #stopping = new AbortController()
  readonly #wakers = new Set<() => void>()
  #claiming: Promise<unknown> = Promise.resolve()
  #done: Promise<unknown> = Promise.resolve()

  constructor(deps: Deps, settings: WorkerSettings) {
    this.#deps = deps
    this.#settings = settings
    this.#disk = new DiskWatch(deps, settings.freeBytesMin)
  }

  start(): void {
    this.#done = Promise.all(Array.from({ length: this.#settings.slots }, () => this.#work()))
  }

  /** A job has come in: no need to wait for the next look. */
  wake(): void {
    for (const waker of this.#wakers) waker()
  }

  /** Whether jobs wait for disk space, or would. */
  isShortOfDisk(): Promise<boolean> {
    return this.#disk.isShort()
  }

  /** Gives up a job that was cancelled; other nodes notice within a second or so. */
  cancel(jobId: string): void {
    for (const { job, stop } of this.#running) if (job.id === jobId) stop.abort()
  }

  /** Leaves jobs under way to whoever comes next. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.wake()
    for (const { stop } of this.#running) stop.abort()
    await this.#done
  }

  async #work(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        const claimed = await this.#claim()
        if (claimed) await this.#run(claimed)
        else await this.#pause(idleMs)
      } catch (error) {
        this.#deps.log.error({ err: error }, 'report worker failed; retrying')
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
    const { store, log, now } = this.#deps
    if (this.#stopping.signal.aborted) return undefined
    // One place is always left to the others, however many jobs an account has.
    const placesMax = Math.max(1, this.#settings.slots - 1)
    const accounts = [...this.#running].map(({ job }) => job.accountId)
    const passOver = accounts.filter((id) => accounts.filter((other) => other === id).length >= placesMax)
    const failure = { reason: exhaustedReason, now: now(), expiresAt: now() + this.#settings.keepMs }
    const claimed = await claimJob(store, { now: now(), leaseMs, passOver, attemptsMax, failure })
    if (!claimed) return undefined
    if ('exhausted' in claimed) {
      const { id, accountId } = claimed.exhausted
      log.warn({ job: id, account: accountId, reason: exhaustedReason }, 'report failed')
      return this.#claimNext()
    }
    const running = { job: claimed.job, stop: new AbortController() }
    this.#running.add(running)
    return running
  }

  async #run(claimed: Claimed): Promise<void> {
    const { job, stop } = claimed
    const { log, now } = this.#deps
    if (this.#stopping.signal.aborted) stop.abort()
    let progress = job.progress
    const keeping = this.#keep(job, { stop, progress: () => progress })
    try {
      const options = {
        msMax: Math.max(1_000, job.deadlineAt - now()),
        signal: stop.signal,
        onProgress: (value: number) => (progress = Math.max(progress, value)),
      }
      const outcome = await runJob({ ...this.#deps, disk: this.#disk }, job, options).catch(
        (error: unknown): JobOutcome => {
          log.error({ err: error, job: job.id }, 'report attempt failed')
          return { trouble: 'Something went wrong on our side. Start the job again.' }
        },
      )
      await this.#settle(job, outcome)
    } finally {
      clearInterval(keeping)
      this.#running.delete(claimed)
    }
  }

  /** Renews the lease, and stops the work when the claim is over. */
  #keep(job: Job, { stop, progress }: { stop: AbortController; progress: () => number }): NodeJS.Timeout {
    const { store, log, now } = this.#deps
    const claim = { id: job.id, attempt: job.attempts }
    let looks = 0
    let looking: Promise<void> | undefined
    const look = async (): Promise<void> => {
      const isToRenew = ++looks % (renewMs / lookMs) === 0
      try {
        const isOurs =
          now() < job.deadlineAt &&
          (await (isToRenew
            ? renewLease(store, { ...claim, leaseUntil: now() + leaseMs, progress: progress() })
            : isHeld(store, claim)))
        if (!isOurs) stop.abort()
      } catch (error) {
        // A store that does not answer is no reason to stop: the lease lasts for several tries.
        if (isToRenew) log.warn({ err: error, job: job.id }, 'lease could not be renewed')
      }
    }
    // One at a time: a store that hangs is not asked again and again.
    return setInterval(() => (looking ??= look().finally(() => (looking = undefined))), lookMs)
  }

  async #settle(job: Job, outcome: JobOutcome): Promise<void> {
    const { store, storage, log, now } = this.#deps
    const claim = { id: job.id, attempt: job.attempts }
    const expiresAt = now() + this.#settings.keepMs
    if ('report' in outcome) {
      const { report } = outcome
      const isKnown = await completeJob(store, { ...claim, made: report, now: now(), expiresAt })
      if (!isKnown) await storage.remove(report.file)
      log.info({ job: job.id, account: job.accountId, rows: report.rows, bytes: report.bytes, isKnown }, 'report made')
      return
    }
    if ('waitsFor' in outcome) {
      const { waitsFor } = outcome
      await releaseJob(store, { ...claim, availableAt: now() + putOffMs[waitsFor], isExcused: true, waitsFor })
      return
    }
    if ('trouble' in outcome && this.#stopping.signal.aborted) {
      await releaseJob(store, { ...claim, availableAt: now(), isExcused: true })
      return
    }
    const isLate = now() >= job.deadlineAt
    const reason = isLate ? overdueReason : 'failure' in outcome ? outcome.failure : outcome.trouble
    const counted = job.attempts - job.excused
    const backoffMs = backoffMsMin * 2 ** counted
    if ('trouble' in outcome && counted < attemptsMax && now() + backoffMs < job.deadlineAt) {
      if (await releaseJob(store, { ...claim, availableAt: now() + backoffMs, isExcused: false }))
        log.warn({ job: job.id, attempt: job.attempts, reason }, 'report attempt failed; retrying')
      return
    }
    const hasFailed = await failClaimedJob(store, { ...claim, reason, now: now(), expiresAt })
    if (hasFailed) log.warn({ job: job.id, account: job.accountId, reason }, 'report failed')
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
