import { asynchronousLimits } from '../catalog/limits.ts'
import type { Account } from '../store/accounts.ts'
import type { Store } from '../store/open-store.ts'

/** Reads how many jobs an account may start and has started, through the API and the console together. */
export async function readJobQuota(store: Store, account: Account, now: number) {
  const { rate } = asynchronousLimits
  const quota = rate.quota * account.rateFactor
  const windowMs = rate.windowSeconds * 1000
  // Removed jobs count too; those that failed because the server had no disk space for them do not.
  const started = await store
    .selectFrom('jobs')
    .select('createdAt')
    .where('accountId', '=', account.id)
    .where('createdAt', '>', now - windowMs)
    .where((sql) =>
      sql.not(sql.and([sql('state', '=', 'FAILED'), sql(sql.fn.coalesce('waitsFor', sql.val('')), '=', 'disk')])),
    )
    .orderBy('createdAt')
    .execute()
  // When this job leaves the window, there is room for one more.
  const blocker = started.length < quota ? undefined : started[started.length - quota]
  return {
    /** The number of jobs in any window of 24 hours. */
    quota,
    used: started.length,
    /** When the oldest of them stops counting. */
    resetsAt: (started[0]?.createdAt ?? now) + windowMs,
    /** When the next job can be started; undefined if one can be now. */
    nextFreeAt: blocker && blocker.createdAt + windowMs,
  }
}
