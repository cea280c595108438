import type { Selectable } from 'kysely'
import type { Store } from '../store/open-store.ts'
import type { Tables } from '../store/tables.ts'

/** All but the password's hash and the invitation's digest. */
export const personColumns = [
  'id',
  'accountId',
  'email',
  'role',
  'invitationExpiresAt',
  'createdAt',
  'lastSignedInAt',
] as const

/** A person without secrets. `invitationExpiresAt` is null once they have joined. */
export type Person = Pick<Selectable<Tables['people']>, (typeof personColumns)[number]>

export async function findPerson(store: Store, id: string): Promise<Person | undefined> {
  return store.selectFrom('people').select(personColumns).where('id', '=', id).executeTakeFirst()
}

export async function findPersonByEmail(store: Store, email: string): Promise<Person | undefined> {
  return store.selectFrom('people').select(personColumns).where('email', '=', email).executeTakeFirst()
}

/** Lists people in the order of their addresses: at most `limit`, only those after the address `after`. */
export async function listPeople(
  store: Store,
  {
    accountId,
    after,
    limit,
  }: { readonly accountId?: string | undefined; readonly after?: string | undefined; readonly limit?: number },
): Promise<readonly Person[]> {
  let query = store.selectFrom('people').select(personColumns).orderBy('email')
  if (accountId !== undefined) query = query.where('accountId', '=', accountId)
  if (after !== undefined) query = query.where('email', '>', after)
  if (limit !== undefined) query = query.limit(limit)
  return query.execute()
}

export async function countPeople(store: Store, accountId: string): Promise<number> {
  const { count } = await store
    .selectFrom('people')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('accountId', '=', accountId)
    .executeTakeFirstOrThrow()
  return count
}
