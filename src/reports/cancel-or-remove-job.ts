import type { Store } from '../store/open-store.ts'
import { findJob, type JobDeps } from './job.ts'
import { failed } from './job-queue.ts'
import type { ReportWorkers } from './workers.ts'

type Deps = Pick<JobDeps, 'store' | 'storage' | 'keepMs' | 'now'> & { readonly workers: Pick<ReportWorkers, 'cancel'> }

type Wanted = { readonly id: string; readonly accountId: string }

/** Ends a job that is under way, whoever works on it. One that has ended stays as it is; another account's is unknown. */
export async function cancelRunningJob(
  { store, workers, keepMs, now }: Omit<Deps, 'storage'>,
  { id, accountId }: Wanted,
): Promise<'cancelled' | 'ended' | 'unknown'> {
  const job = await findJob(store, id)
  if (job?.accountId !== accountId) return 'unknown'
  const { numUpdatedRows } = await store
    .updateTable('jobs')
    .set(failed({ reason: 'cancelled', now: now(), expiresAt: now() + keepMs }))
    .where('id', '=', id)
    .where('state', '=', 'PROCESSING')
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return 'ended'
  workers.cancel(id)
  return 'cancelled'
}

/** Ends a job that is under way, or removes one that has ended, with its report. */
export async function cancelOrRemoveJob(deps: Deps, wanted: Wanted): Promise<'cancelled' | 'removed' | 'unknown'> {
  const outcome = await cancelRunningJob(deps, wanted)
  if (outcome !== 'ended') return outcome
  const { store, storage, now } = deps
  // It may have ended since it was read above, so its file is read again.
  const ended = await findJob(store, wanted.id)
  await markJobRemoved(store, wanted.id, now())
  if (ended && ended.file !== null) await storage.remove(ended.file)
  return 'removed'
}

/** Hides a job from its account; it still counts against the jobs of a day. */
export async function markJobRemoved(store: Store, id: string, now: number): Promise<void> {
  await store.updateTable('jobs').set({ removedAt: now, file: null }).where('id', '=', id).execute()
}
