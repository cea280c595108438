import type { Store } from './open-store.ts'

/** Tells every node that what it remembers of keys and accounts may no longer be true. */
export async function bumpRevision(store: Store): Promise<void> {
  await store
    .insertInto('accessRevision')
    .values({ id: 1, revision: 1 })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet((sql) => ({ revision: sql('accessRevision.revision', '+', 1) })),
    )
    .execute()
}

export async function readRevision(store: Store): Promise<number> {
  const row = await store.selectFrom('accessRevision').select('revision').executeTakeFirst()
  return row?.revision ?? 0
}
