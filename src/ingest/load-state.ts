import type { Updateable } from 'kysely'
import type { LoadedFile, LoadMode } from '../store/loads.ts'
import type { Store } from '../store/open-store.ts'
import type { Tables } from '../store/tables.ts'

/** The error of a load that a sweep has ended for its silence. */
export const endedBySweep =
  'The load did not report for a minute and was ended; nothing was loaded. Load the files again.'

export async function beginLoad(
  store: Store,
  { now, ...load }: { cube: string; mode?: LoadMode; loadedBy?: string; columns?: string; now: number },
): Promise<number> {
  const { id } = await store
    .insertInto('loads')
    .values({ mode: 'replace', loadedBy: '', ...load, state: 'loading', files: '[]', startedAt: now, aliveAt: now })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Changes a load that has not ended; returns false if it has. A visible load must never become a failed one, and swept. */
export async function updateOpenLoad(store: Store, id: number, change: Updateable<Tables['loads']>): Promise<boolean> {
  const { numUpdatedRows } = await store
    .updateTable('loads')
    .set(change)
    .where('id', '=', id)
    .where('state', '=', 'loading')
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Ends a load as failed, unless it has ended. */
export async function failLoad(
  store: Store,
  { id, reason, files, now }: { id: number; reason?: string; files?: readonly LoadedFile[]; now: number },
): Promise<void> {
  const isEnded = await updateOpenLoad(store, id, {
    state: 'failed',
    finishedAt: now,
    failureReason: reason ?? null,
    ...(files && { files: JSON.stringify(files) }),
  })
  if (isEnded) return
  // A sweep ended it for its silence, and may have run before it stored its last facts. Sweep it again.
  await store
    .updateTable('loads')
    .set({ sweptAt: null, finishedAt: now })
    .where('id', '=', id)
    .where('state', '=', 'failed')
    .execute()
}
