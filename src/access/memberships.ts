import type { Store } from '../store/open-store.ts'
import type { Role } from '../store/tables.ts'

/** A person in an account. Its id is not that of the person: two accounts cannot find out that they share one. */
export type Membership = {
  readonly id: string
  readonly personId: string
  readonly accountId: string
  readonly email: string
  readonly role: Role
  /** Null once the person has joined. */
  readonly invitationExpiresAt: number | null
  readonly createdAt: number
  readonly lastSignedInAt: number | null
}

/** Selects memberships without secrets. */
export const selectMemberships = (store: Store) =>
  store
    .selectFrom('memberships')
    .innerJoin('people', 'people.id', 'memberships.personId')
    .select([
      'memberships.id',
      'personId',
      'memberships.accountId',
      'email',
      'memberships.role',
      'memberships.invitationExpiresAt',
      'memberships.createdAt',
      'memberships.lastSignedInAt',
    ])

export const findMembership = (store: Store, id: string): Promise<Membership | undefined> =>
  selectMemberships(store).where('memberships.id', '=', id).executeTakeFirst()

/** All memberships of an e-mail address, including open invitations. */
export const findMembershipsOf = (store: Store, email: string): Promise<readonly Membership[]> =>
  selectMemberships(store).where('email', '=', email).orderBy('memberships.accountId').execute()

/** The memberships that a person has joined, in accounts that are not disabled. */
export const findJoined = (store: Store, personId: string): Promise<readonly Membership[]> =>
  selectMemberships(store)
    .innerJoin('accounts', 'accounts.id', 'memberships.accountId')
    .where('personId', '=', personId)
    .where('memberships.invitationExpiresAt', 'is', null)
    .where('accounts.disabledAt', 'is', null)
    .orderBy('accounts.name')
    .orderBy('memberships.accountId')
    .execute()

/** Lists people in the order of their addresses: at most `limit`, only those after the address `after`. */
export async function listPeople(
  store: Store,
  {
    accountId,
    after,
    limit,
  }: { readonly accountId?: string | undefined; readonly after?: string | undefined; readonly limit?: number },
): Promise<readonly Membership[]> {
  let query = selectMemberships(store).orderBy('email').orderBy('memberships.accountId')
  if (accountId !== undefined) query = query.where('memberships.accountId', '=', accountId)
  if (after !== undefined) query = query.where('email', '>', after)
  if (limit !== undefined) query = query.limit(limit)
  return query.execute()
}

export async function countPeople(store: Store, accountId: string): Promise<number> {
  const { count } = await store
    .selectFrom('memberships')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('accountId', '=', accountId)
    .executeTakeFirstOrThrow()
  return count
}
