import type { Digest } from './digest.ts'
import type { Store } from './open-store.ts'
import type { Role, Tables } from './tables.ts'

export type Person = {
  readonly id: string
  readonly accountId: string
  readonly email: string
  readonly role: Role
  /** When the invitation expires; null for whoever has joined. */
  readonly invitedUntil: number | null
  readonly createdAt: number
  readonly lastSignedInAt: number | null
}

export type Invitation = Digest & { readonly expiresAt: number }

/** Adds a person with a password or an invitation to choose one; false where the address has a place already. */
export async function insertPerson(
  store: Store,
  person: Pick<Person, 'id' | 'accountId' | 'email' | 'role' | 'createdAt'> &
    ({ readonly passwordHash: string } | { readonly invitation: Invitation }),
): Promise<boolean> {
  const invitation = 'invitation' in person ? person.invitation : undefined
  const { numInsertedOrUpdatedRows } = await store
    .insertInto('people')
    .values({
      id: person.id,
      account_id: person.accountId,
      email: person.email,
      role: person.role,
      password_hash: 'passwordHash' in person ? person.passwordHash : null,
      invitation_selector: invitation?.selector ?? null,
      invitation_verifier: invitation?.verifier ?? null,
      invitation_expires_at: invitation?.expiresAt ?? null,
      created_at: person.createdAt,
      last_signed_in_at: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

export async function findPerson(store: Store, id: string): Promise<Person | undefined> {
  const row = await store.selectFrom('people').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toPerson(row)
}

export async function findPersonByEmail(
  store: Store,
  email: string,
): Promise<(Person & { readonly passwordHash: string | null }) | undefined> {
  const row = await store.selectFrom('people').selectAll().where('email', '=', email).executeTakeFirst()
  return row && { ...toPerson(row), passwordHash: row.password_hash }
}

export async function findInvited(
  store: Store,
  selector: string,
): Promise<(Person & { readonly invitation: Invitation }) | undefined> {
  const row = await store
    .selectFrom('people')
    .selectAll()
    .where('invitation_selector', '=', selector)
    .executeTakeFirst()
  if (!row || row.invitation_verifier === null || row.invitation_expires_at === null) return undefined
  const invitation = { selector, verifier: row.invitation_verifier, expiresAt: row.invitation_expires_at }
  return { ...toPerson(row), invitation }
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
  let query = store.selectFrom('people').selectAll().orderBy('email')
  if (accountId !== undefined) query = query.where('account_id', '=', accountId)
  if (after !== undefined) query = query.where('email', '>', after)
  if (limit !== undefined) query = query.limit(limit)
  return (await query.execute()).map(toPerson)
}

export async function countPeople(store: Store, accountId: string): Promise<number> {
  const { count } = await store
    .selectFrom('people')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  return count
}

/** Administrators who have joined: an invitation that nobody took up manages no account. */
export async function countAdministrators(store: Store, accountId: string): Promise<number> {
  const { count } = await store
    .selectFrom('people')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .where('role', '=', 'administrator')
    .where('password_hash', 'is not', null)
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
      password_hash: passwordHash,
      invitation_selector: null,
      invitation_verifier: null,
      invitation_expires_at: null,
    })
    .where('id', '=', id)
  if (invitation !== undefined) query = query.where('invitation_selector', '=', invitation)
  if (replaced !== undefined) query = query.where('password_hash', '=', replaced)
  const { numUpdatedRows } = await query.executeTakeFirst()
  if (numUpdatedRows === 0n) return false
  await store.deleteFrom('sessions').where('person_id', '=', id).execute()
  return true
}

/** An invitation that nobody took up in time does not keep an address from being invited again, by anybody. */
export async function deleteExpiredInvitation(store: Store, email: string, now: number): Promise<void> {
  await store
    .deleteFrom('people')
    .where('email', '=', email)
    .where('password_hash', 'is', null)
    .where('invitation_expires_at', '<=', now)
    .execute()
}

/** Notes a sign-in; false where the password was changed, or the person removed, since it was looked at. */
export async function updateLastSignedIn(
  store: Store,
  { id, passwordHash, now }: { readonly id: string; readonly passwordHash: string; readonly now: number },
): Promise<boolean> {
  const { numUpdatedRows } = await store
    .updateTable('people')
    .set({ last_signed_in_at: now })
    .where('id', '=', id)
    .where('password_hash', '=', passwordHash)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Sessions go with the person. */
export async function deletePerson(store: Store, id: string): Promise<void> {
  await store.deleteFrom('people').where('id', '=', id).execute()
}

export const toPerson = (row: Tables['people']): Person => ({
  id: row.id,
  accountId: row.account_id,
  email: row.email,
  role: row.role,
  invitedUntil: row.invitation_expires_at,
  createdAt: row.created_at,
  lastSignedInAt: row.last_signed_in_at,
})
