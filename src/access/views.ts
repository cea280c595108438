import { randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import { lockAccounts } from '../store/accounts.ts'
import type { Store } from '../store/open-store.ts'
import type { Tables } from '../store/tables.ts'
import { findPerson, type Person } from './people.ts'

/** As many as a menu can show. */
export const viewsMax = 50

export type View = Selectable<Tables['views']>

/** Saves a view for a person. */
export async function createView(
  store: Store,
  { person, name, search, now }: Pick<View, 'name' | 'search'> & { readonly person: Person; readonly now: number },
): Promise<View | { readonly refusal: 'no_person' | 'too_many_views' }> {
  const view: View = {
    id: `vie_${randomUUID().replaceAll('-', '')}`,
    personId: person.id,
    name,
    search,
    createdAt: now,
  }
  return store.transaction().execute(async (transaction) => {
    // Two requests could both find room for the last view, and the person could be removed meanwhile.
    await lockAccounts(transaction, [person.accountId])
    if (!(await findPerson(transaction, person.id))) return { refusal: 'no_person' }
    if ((await listViews(transaction, person.id)).length >= viewsMax) return { refusal: 'too_many_views' }
    await transaction.insertInto('views').values(view).execute()
    return view
  })
}

/** Lists a person's views in the order in which they were saved. */
export async function listViews(store: Store, personId: string): Promise<readonly View[]> {
  return store
    .selectFrom('views')
    .selectAll()
    .where('personId', '=', personId)
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
}

/** Undefined if the person has no such view. */
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

/** False if the person has no such view. */
export async function deleteView(store: Store, { id, personId }: Pick<View, 'id' | 'personId'>): Promise<boolean> {
  const { numDeletedRows } = await store
    .deleteFrom('views')
    .where('id', '=', id)
    .where('personId', '=', personId)
    .executeTakeFirst()
  return numDeletedRows === 1n
}
