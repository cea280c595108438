import type { JobDeps } from './job.ts'

type Deps = Pick<JobDeps, 'store' | 'log' | 'now' | 'keepMs'>

/** Few enough for a statement that takes milliseconds. */
const jobsAtOnce = 400

export const overdueReason = 'The report was not ready in time. Ask for fewer days or fields, or try again later.'
const noDiskReason = 'The server ran out of disk space. Try again later, or tell your operator.'
const noEngineReason = 'The query engine was unavailable. Start the job again.'

/** Fails the jobs whose deadline has passed. */
export async function endOverdueJobs(deps: Deps, throwIfOver: () => void = () => {}): Promise<void> {
  let ended = 0
  do {
    throwIfOver()
    ended = await endSome(deps)
  } while (ended > 0)
}

async function endSome({ store, log, now, keepMs }: Deps): Promise<number> {
  const at = now()
  const ended = await store
    .updateTable('jobs')
    .set((sql) => ({
      state: 'FAILED',
      failureReason: sql
        .case('waitsFor')
        .when('disk')
        .then(noDiskReason)
        .when('engine')
        .then(noEngineReason)
        .else(overdueReason)
        .end(),
      finishedAt: at,
      expiresAt: at + keepMs,
      leaseUntil: null,
    }))
    .where('state', '=', 'PROCESSING')
    .where('id', 'in', (sql) =>
      sql
        .selectFrom('jobs')
        .select('id')
        .where('state', '=', 'PROCESSING')
        .where('deadlineAt', '<=', at)
        .orderBy('deadlineAt')
        .limit(jobsAtOnce),
    )
    .returning(['id', 'accountId', 'failureReason'])
    .execute()
  for (const { id, accountId, failureReason } of ended) {
    log.warn({ job: id, account: accountId, reason: failureReason }, 'report failed')
  }
  return ended.length
}
