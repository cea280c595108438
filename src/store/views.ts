import type { Selectable } from 'kysely'
import type { Store } from './open-store.ts'
import type { Tables } from './tables.ts'

export type View = Selectable<Tables['views']>

export async function insertView(store: Store, view: View): Promise<void> {
  await store.insertInto('views').values(view).execute()
}

/** All of a person's, in the order in which they were saved. */
export async function listViews(store: Store, personId: string): Promise<readonly View[]> {
  return store
    .selectFrom('views')
    .selectAll()
    .where('personId', '=', personId)
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
}

export async function countViews(store: Store, personId: string): Promise<number> {
  const { count } = await store
    .selectFrom('views')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('personId', '=', personId)
    .executeTakeFirstOrThrow()
  return count
}

/** Undefined where the person has no such view. */
export async function updateView(
  store: Store,
  { id, personId, name, search }: Omit<View, 'createdAt'>,
): Promise<View | undefined> {
  return store
    .updateTable('views')
    .set({ name, search })
    .where('id', '=', id)
    .where('personId', '=', personId)
    .returningAll()
    .executeTakeFirst()
}

/** False where the person has no such view. */
export async function deleteView(store: Store, { id, personId }: Pick<View, 'id' | 'personId'>): Promise<boolean> {
  const { numDeletedRows } = await store
    .deleteFrom('views')
    .where('id', '=', id)
    .where('personId', '=', personId)
    .executeTakeFirst()
  return numDeletedRows === 1n
}
