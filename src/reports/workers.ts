import { DiskWatch } from './disk-watch.ts'
import { overdueReason } from './end-overdue-jobs.ts'
import type { Job, JobDeps } from './job.ts'
import { claimJob, completeJob, failJob, isHeld, releaseJob, renewClaim, type ClaimedJob } from './job-queue.ts'
import { runJob, type JobOutcome } from './run-job.ts'

export type WorkerSettings = Pick<JobDeps, 'keepMs'> & {
  /** How many reports are made at once. */
  readonly slots: number
  readonly freeBytesMin: number
}

type Deps = Omit<JobDeps, 'keepMs'>

/** A job is given to another worker when this time has passed without a renewal, so three renewals may fail. */
const leaseMs = 20_000
const renewMs = 5_000
/** How soon a worker notices that its job was cancelled on another node. */
const lookMs = 1_000
/** How soon a job is seen that another node has accepted. */
const idleMs = 1_000
const attemptsMax = 5
const exhaustedReason = `The report was broken off ${attemptsMax} times. Ask for fewer days or fields, or try again later.`
const backoffMsMin = 2_000
/** A job that waits for something that the server lacks is tried again after this time, until its deadline. */
const waitMs = { engine: 5_000, disk: 30_000 }

type Running = { readonly job: ClaimedJob; readonly stop: AbortController; readonly done: Promise<void> }

/** Makes reports out of jobs, several at once, until it is stopped. */
export class ReportWorkers {
  readonly #deps: Deps
  readonly #settings: WorkerSettings
  readonly #disk: DiskWatch
  /** Claims, not jobs: a stalled attempt may still run here when the job has been claimed again. */
  readonly #running = new Set<Running>()
  readonly #stopping = new AbortController()
  #done: Promise<void> = Promise.resolve()
  #isAwake = false
  #endPause: () => void = () => {}

  constructor(deps: Deps, settings: WorkerSettings) {
    this.#deps = deps
    this.#settings = settings
    this.#disk = new DiskWatch(deps, settings.freeBytesMin)
  }

  start(): void {
    this.#done = this.#work()
  }

  /** Looks for a job at once instead of after `idleMs`. */
  wake(): void {
    this.#isAwake = true
    this.#endPause()
  }

  isShortOfDisk(): Promise<boolean> {
    return this.#disk.isShort()
  }

  /** Stops making the report of a job that was cancelled; other nodes notice within `lookMs`. */
  cancel(jobId: string): void {
    for (const { job, stop } of this.#running) if (job.id === jobId) stop.abort()
  }

  /** Gives the jobs under way back, for another worker to make. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.wake()
    await this.#done
    for (const { stop } of this.#running) stop.abort()
    await Promise.all([...this.#running].map(({ done }) => done))
  }

  /** Claims one job at a time, so that each claim sees what the others have taken. */
  async #work(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      this.#isAwake = false
      try {
        const job = this.#running.size < this.#settings.slots ? await this.#claim() : undefined
        if (job) this.#begin(job)
        else await this.#pause()
      } catch (error) {
        this.#deps.log.error({ err: error }, 'report worker failed; retrying')
        await this.#pause()
      }
    }
  }

  async #claim(): Promise<ClaimedJob | undefined> {
    const { store, log, now } = this.#deps
    // Leave one slot to the other accounts, however many jobs an account has.
    const slotsMax = Math.max(1, this.#settings.slots - 1)
    const accounts = [...this.#running].map(({ job }) => job.accountId)
    const passOver = accounts.filter((id) => accounts.filter((other) => other === id).length >= slotsMax)
    for (;;) {
      const failure = { reason: exhaustedReason, now: now(), expiresAt: now() + this.#settings.keepMs }
      const claimed = await claimJob(store, { now: now(), leaseMs, passOver, attemptsMax, failure })
      if (!claimed) return undefined
      if ('job' in claimed) return claimed.job
      const { id, accountId } = claimed.exhausted
      log.warn({ job: id, account: accountId, reason: exhaustedReason }, 'report failed')
    }
  }

  #begin(job: ClaimedJob): void {
    const stop = new AbortController()
    const done = this.#run(job, stop)
      .catch((error: unknown) => this.#deps.log.error({ err: error }, 'report worker failed; retrying'))
      .finally(() => {
        this.#running.delete(running)
        this.wake()
      })
    const running = { job, stop, done }
    this.#running.add(running)
  }

  async #run(job: ClaimedJob, stop: AbortController): Promise<void> {
    const { log, now } = this.#deps
    let progress = job.progress
    const keeping = this.#keep(job, stop, () => progress)
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
    }
  }

  /** Renews a claim, and stops the work when the claim is over. */
  #keep(job: Job, stop: AbortController, progress: () => number): NodeJS.Timeout {
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
            ? renewClaim(store, { ...claim, leaseUntil: now() + leaseMs, progress: progress() })
            : isHeld(store, claim)))
        if (!isOurs) stop.abort()
      } catch (error) {
        // The lease outlasts several failed renewals, so a database that does not answer is no reason to stop.
        if (isToRenew) log.warn({ err: error, job: job.id }, 'lease could not be renewed')
      }
    }
    // One question at a time, also if the database hangs.
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
      await releaseJob(store, { ...claim, availableAt: now() + waitMs[waitsFor], isExcused: true, waitsFor })
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
    const hasFailed = await failJob(store, { ...claim, reason, now: now(), expiresAt })
    if (hasFailed) log.warn({ job: job.id, account: job.accountId, reason }, 'report failed')
  }

  async #pause(): Promise<void> {
    if (this.#isAwake) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, idleMs)
      this.#endPause = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}
