import { cancelJob, findJob, markJobRemoved } from '../store/jobs.ts'
import type { Store } from '../store/open-store.ts'
import type { ReportStorage } from './storage.ts'
import type { ReportWorkers } from './workers.ts'

type Deps = {
  readonly store: Store
  readonly storage: ReportStorage
  readonly workers: Pick<ReportWorkers, 'cancel'>
  readonly keepMs: number
  readonly now: () => number
}

/** Ends a job that is under way, or removes one that has ended, with its report. Another account's is unknown. */
export async function cancelOrRemoveJob(
  { store, storage, workers, keepMs, now }: Deps,
  { id, accountId }: { readonly id: string; readonly accountId: string },
): Promise<'cancelled' | 'removed' | 'unknown'> {
  const job = await findJob(store, id)
  if (job?.accountId !== accountId) return 'unknown'
  if (await cancelJob(store, { id, now: now(), expiresAt: now() + keepMs })) {
    workers.cancel(id)
    return 'cancelled'
  }
  // It may have ended since it was looked at, so what to remove is asked again.
  const ended = await findJob(store, id)
  await markJobRemoved(store, id, now())
  if (ended && ended.file !== null) await storage.remove(ended.file)
  return 'removed'
}
