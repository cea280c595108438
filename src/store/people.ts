import type { Insertable, Selectable } from 'kysely'
import type { Store } from './open-store.ts'
import type { Role, Tables } from './tables.ts'

const personColumns = [
  'id',
  'accountId',
  'email',
  'role',
  'invitationExpiresAt',
  'createdAt',
  'lastSignedInAt',
] as const

/** A person without the secrets. The invitation's end is null for whoever has joined. */
export type Person = Pick<Selectable<Tables['people']>, (typeof personColumns)[number]>

/** Adds a person with a password or an invitation to choose one; false where the address has a place already. */
export async function insertPerson(store: Store, person: Insertable<Tables['people']>): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await store
    .insertInto('people')
    .values(person)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

export async function findPerson(store: Store, id: string): Promise<Person | undefined> {
  return store.selectFrom('people').select(personColumns).where('id', '=', id).executeTakeFirst()
}

export async function findPersonByEmail(store: Store, email: string): Promise<Person | undefined> {
  return store.selectFrom('people').select(personColumns).where('email', '=', email).executeTakeFirst()
}

export async function findPasswordHash(
  store: Store,
  email: string,
): Promise<{ readonly person: Person; readonly passwordHash: string | null } | undefined> {
  const row = await store
    .selectFrom('people')
    .select([...personColumns, 'passwordHash'])
    .where('email', '=', email)
    .executeTakeFirst()
  if (!row) return undefined
  const { passwordHash, ...person } = row
  return { person, passwordHash }
}

export async function findInvited(
  store: Store,
  selector: string,
): Promise<{ readonly person: Person; readonly verifier: string | null } | undefined> {
  const row = await store
    .selectFrom('people')
    .select([...personColumns, 'invitationVerifier'])
    .where('invitationSelector', '=', selector)
    .executeTakeFirst()
  if (!row) return undefined
  const { invitationVerifier: verifier, ...person } = row
  return { person, verifier }
}

/** In the order of their addresses, at most `limit`, only those after the address `after`. */
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

/** Administrators who have joined: an invitation that nobody took up manages no account. */
export async function countAdministrators(store: Store, accountId: string): Promise<number> {
  const { count } = await store
    .selectFrom('people')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('accountId', '=', accountId)
    .where('role', '=', 'administrator')
    .where('passwordHash', 'is not', null)
    .executeTakeFirstOrThrow()
  return count
}

export async function updateRole(store: Store, id: string, role: Role): Promise<void> {
  await store.updateTable('people').set({ role }).where('id', '=', id).execute()
}

/**
 * A new password ends every session that the old one began, and takes the place of an invitation. False where the person
 * is gone, or where the invitation or the password that it was to replace is another by now.
 */
export async function updatePassword(
  store: Store,
  id: string,
  passwordHash: string,
  { invitation, replaced }: { readonly invitation?: string; readonly replaced?: string } = {},
): Promise<boolean> {
  let query = store
    .updateTable('people')
    .set({
      passwordHash: passwordHash,
      invitationSelector: null,
      invitationVerifier: null,
      invitationExpiresAt: null,
    })
    .where('id', '=', id)
  if (invitation !== undefined) query = query.where('invitationSelector', '=', invitation)
  if (replaced !== undefined) query = query.where('passwordHash', '=', replaced)
  const { numUpdatedRows } = await query.executeTakeFirst()
  if (numUpdatedRows === 0n) return false
  await store.deleteFrom('sessions').where('personId', '=', id).execute()
  return true
}

/** An invitation that nobody took up in time does not keep an address from being invited again, by anybody. */
export async function deleteExpiredInvitation(store: Store, email: string, now: number): Promise<void> {
  await store
    .deleteFrom('people')
    .where('email', '=', email)
    .where('passwordHash', 'is', null)
    .where('invitationExpiresAt', '<=', now)
    .execute()
}

/** Notes a sign-in; false where the password was changed, or the person removed, since it was looked at. */
export async function updateLastSignedIn(
  store: Store,
  { id, passwordHash, now }: { readonly id: string; readonly passwordHash: string; readonly now: number },
): Promise<boolean> {
  const { numUpdatedRows } = await store
    .updateTable('people')
    .set({ lastSignedInAt: now })
    .where('id', '=', id)
    .where('passwordHash', '=', passwordHash)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Sessions go with the person. */
export async function deletePerson(store: Store, id: string): Promise<void> {
  await store.deleteFrom('people').where('id', '=', id).execute()
}
