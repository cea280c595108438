import type { Logger } from 'pino'
import type { Store } from '../store/open-store.ts'
import { failOverdueJobs } from '../store/stale-jobs.ts'
import type { JobNeed } from '../store/tables.ts'

type Deps = {
  readonly store: Store
  readonly log: Logger
  readonly now: () => number
  /** How long a finished job is kept. */
  readonly keepMs: number
}

export const overdueReason = 'The report was not ready in time. Ask for fewer days or fields, or try again later.'

const reasonByNeed: Readonly<Record<JobNeed, string>> = {
  disk: 'The server ran out of disk space. Try again later, or tell your operator.',
  engine: 'The query engine was unavailable. Start the job again.',
}

/** Ends the jobs that nobody can finish in time any more. */
export async function endOverdueJobs(
  { store, log, now, keepMs }: Deps,
  throwIfOver: () => void = () => {},
): Promise<void> {
  for (;;) {
    throwIfOver()
    const expiresAt = now() + keepMs
    const ended = await failOverdueJobs(store, { now: now(), expiresAt, reason: overdueReason, reasonByNeed })
    if (ended.length === 0) return
    for (const { id, accountId, failureReason } of ended) {
      log.warn({ job: id, account: accountId, reason: failureReason }, 'report failed')
    }
  }
}
