import type { Store } from './open-store.ts'
import type { Tables } from './tables.ts'

/** What a person has saved of the console's explorer. */
export type View = {
  readonly id: string
  readonly personId: string
  readonly name: string
  /** The query part of the explorer's address. */
  readonly search: string
  readonly createdAt: number
}

export async function insertView(store: Store, { id, personId, name, search, createdAt }: View): Promise<void> {
  await store.insertInto('views').values({ id, person_id: personId, name, search, created_at: createdAt }).execute()
}

/** All of a person's, in the order in which they were saved. */
export async function listViews(store: Store, personId: string): Promise<readonly View[]> {
  const rows = await store
    .selectFrom('views')
    .selectAll()
    .where('person_id', '=', personId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows.map(toView)
}

export async function countViews(store: Store, personId: string): Promise<number> {
  const { count } = await store
    .selectFrom('views')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('person_id', '=', personId)
    .executeTakeFirstOrThrow()
  return count
}

/** Undefined where the person has no such view. */
export async function updateView(
  store: Store,
  { id, personId, name, search }: Omit<View, 'createdAt'>,
): Promise<View | undefined> {
  const row = await store
    .updateTable('views')
    .set({ name, search })
    .where('id', '=', id)
    .where('person_id', '=', personId)
    .returningAll()
    .executeTakeFirst()
  return row && toView(row)
}

/** False where the person has no such view. */
export async function deleteView(store: Store, { id, personId }: Pick<View, 'id' | 'personId'>): Promise<boolean> {
  const { numDeletedRows } = await store
    .deleteFrom('views')
    .where('id', '=', id)
    .where('person_id', '=', personId)
    .executeTakeFirst()
  return numDeletedRows === 1n
}

const toView = (row: Tables['views']): View => ({
  id: row.id,
  personId: row.person_id,
  name: row.name,
  search: row.search,
  createdAt: row.created_at,
})
