import { randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import { lockAccounts } from '../store/accounts.ts'
import type { Store } from '../store/open-store.ts'
import type { Tables } from '../store/tables.ts'
import { findMembership, type Membership } from './memberships.ts'

/** As many as a menu can show. */
export const viewsMax = 50

export type View = Selectable<Tables['views']>

/** Saves a view of a person in an account. */
export async function createView(
  store: Store,
  {
    membership,
    name,
    search,
    now,
  }: Pick<View, 'name' | 'search'> & { readonly membership: Membership; readonly now: number },
): Promise<View | { readonly refusal: 'no_person' | 'too_many_views' }> {
  const view: View = {
    id: `vie_${randomUUID().replaceAll('-', '')}`,
    // For processes of earlier versions.
    personId: membership.personId,
    membershipId: membership.id,
    name,
    search,
    createdAt: now,
  }
  return store.transaction().execute(async (transaction) => {
    // Two requests could both find room for the last view, and the person could be removed meanwhile.
    await lockAccounts(transaction, [membership.accountId])
    if (!(await findMembership(transaction, membership.id))) return { refusal: 'no_person' }
    if ((await listViews(transaction, membership.id)).length >= viewsMax) return { refusal: 'too_many_views' }
    await transaction.insertInto('views').values(view).execute()
    return view
  })
}

/** Lists the views of a person in an account, in the order in which they were saved. */
export async function listViews(store: Store, membershipId: string): Promise<readonly View[]> {
  return store
    .selectFrom('views')
    .selectAll()
    .where('membershipId', '=', membershipId)
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
}

/** Undefined if the person has no such view. */
export async function updateView(
  store: Store,
  { id, membershipId, name, search }: Omit<View, 'personId' | 'createdAt'>,
): Promise<View | undefined> {
  return store
    .updateTable('views')
    .set({ name, search })
    .where('id', '=', id)
    .where('membershipId', '=', membershipId)
    .returningAll()
    .executeTakeFirst()
}

/** False if the person has no such view. */
export async function deleteView(
  store: Store,
  { id, membershipId }: Pick<View, 'id' | 'membershipId'>,
): Promise<boolean> {
  const { numDeletedRows } = await store
    .deleteFrom('views')
    .where('id', '=', id)
    .where('membershipId', '=', membershipId)
    .executeTakeFirst()
  return numDeletedRows === 1n
}
