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

type Place = { readonly id: string; readonly accountId: string }

/** Ends a job that is under way; one that has ended stays as it is. Another account's is unknown. */
export async function cancelRunningJob(
  { store, workers, keepMs, now }: Omit<Deps, 'storage'>,
  { id, accountId }: Place,
): Promise<'cancelled' | 'ended' | 'unknown'> {
  const job = await findJob(store, id)
  if (job?.accountId !== accountId) return 'unknown'
  if (!(await cancelJob(store, { id, now: now(), expiresAt: now() + keepMs }))) return 'ended'
  workers.cancel(id)
  return 'cancelled'
}

/** Ends a job that is under way, or removes one that has ended, with its report. */
export async function cancelOrRemoveJob(deps: Deps, place: Place): Promise<'cancelled' | 'removed' | 'unknown'> {
  const outcome = await cancelRunningJob(deps, place)
  if (outcome !== 'ended') return outcome
  const { store, storage, now } = deps
  // It may have ended since it was looked at, so what to remove is asked again.
  const ended = await findJob(store, place.id)
  await markJobRemoved(store, place.id, now())
  if (ended && ended.file !== null) await storage.remove(ended.file)
  return 'removed'
}
