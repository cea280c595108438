import { asynchronousLimits } from '../catalog/limits.ts'
import type { Account } from '../store/accounts.ts'
import { listJobTimes } from '../store/jobs.ts'
import type { Store } from '../store/open-store.ts'

export type JobQuota = {
  /** In any stretch of time as long as the window. */
  readonly quota: number
  readonly used: number
  /** When the oldest of them stops counting. */
  readonly resetsAt: number
  /** When the next job can be started; undefined where one can be now. */
  readonly nextFreeAt: number | undefined
}

/** How many jobs an account may start and has started, through the API and the console together. */
export async function readJobQuota(store: Store, account: Account, now: number): Promise<JobQuota> {
  const { rate } = asynchronousLimits
  const quota = rate.quota * account.rateFactor
  const windowMs = rate.windowSeconds * 1000
  const times = await listJobTimes(store, account.id, now - windowMs)
  // Once this one is out of the window, one less than the quota is left.
  const blocker = times.length < quota ? undefined : times[times.length - quota]
  return {
    quota,
    used: times.length,
    resetsAt: (times[0] ?? now) + windowMs,
    nextFreeAt: blocker === undefined ? undefined : blocker + windowMs,
  }
}
