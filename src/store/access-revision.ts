import type { Store } from './open-store.ts'

/** Tells every node that what it remembers of keys and accounts may no longer be true. */
export async function bumpRevision(store: Store): Promise<void> {
  await store
    .insertInto('access_revision')
    .values({ id: 1, revision: 1 })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet((sql) => ({ revision: sql('access_revision.revision', '+', 1) })),
    )
    .execute()
}

export async function readRevision(store: Store): Promise<number> {
  const row = await store.selectFrom('access_revision').select('revision').executeTakeFirst()
  return row?.revision ?? 0
}
