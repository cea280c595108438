import { claimJob, type ClaimedJob } from '../../src/reports/job-queue.ts'
import type { Store } from '../../src/store/open-store.ts'

export const leaseMs = 20_000
export const attemptsMax = 5

/** Claims a job, as a worker does. */
export const claimNext = (store: Store, now: number, passOver: readonly string[] = []) =>
  claimJob(store, {
    now,
    leaseMs,
    passOver,
    attemptsMax,
    failure: { reason: 'used up', now, expiresAt: now + 7 * 86_400_000 },
  })

/** Claims a job, which must exist. */
export async function takeJob(
  store: Store,
  now: number,
  passOver: readonly string[] = [],
): Promise<ClaimedJob | undefined> {
  const claimed = await claimNext(store, now, passOver)
  return claimed && 'job' in claimed ? claimed.job : undefined
}
