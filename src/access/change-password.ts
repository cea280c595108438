import { findAccount } from '../store/accounts.ts'
import { recordAudit } from '../store/audit.ts'
import type { Store } from '../store/open-store.ts'
import { hashPassword } from './password.ts'
import { personColumns, type Person } from './people.ts'
import { digestOf, isSameVerifier, isToken } from './secret-digest.ts'
import { endSessionsOf, openSession } from './sessions.ts'

type Change = { readonly person: Person; readonly password: string; readonly now: number }

/** Sets a password and ends the sessions that the old one opened. False if the person was removed meanwhile. */
export async function resetPassword(
  store: Store,
  { person, password, actor, now }: Change & { readonly actor: string },
): Promise<boolean> {
  const passwordHash = await hashPassword(password)
  return store.transaction().execute(async (transaction) => {
    if (!(await updatePassword(transaction, person.id, passwordHash))) return false
    await recordChange(transaction, person, actor, now)
    return true
  })
}

/**
 * Changes one's own password, and opens a session in place of those that end. Undefined if the old password, whose hash
 * is `replaced`, is no longer the current one: it must not undo an operator's change.
 */
export async function changeOwnPassword(
  store: Store,
  { person, password, replaced, now }: Change & { readonly replaced: string },
): Promise<string | undefined> {
  const passwordHash = await hashPassword(password)
  return store.transaction().execute(async (transaction) => {
    if (!(await updatePassword(transaction, person.id, passwordHash, { replaced }))) return undefined
    await recordChange(transaction, person, person.email, now)
    return openSession(transaction, person.id, now)
  })
}

/**
 * Stores a password in place of an invitation or another password, and ends the person's sessions. False if the person was
 * removed, or if the given invitation or password is no longer the current one.
 */
export async function updatePassword(
  transaction: Store,
  id: string,
  passwordHash: string,
  { invitation, replaced }: { readonly invitation?: string; readonly replaced?: string } = {},
): Promise<boolean> {
  let query = transaction
    .updateTable('people')
    .set({ passwordHash, invitationSelector: null, invitationVerifier: null, invitationExpiresAt: null })
    .where('id', '=', id)
  if (invitation !== undefined) query = query.where('invitationSelector', '=', invitation)
  if (replaced !== undefined) query = query.where('passwordHash', '=', replaced)
  const { numUpdatedRows } = await query.executeTakeFirst()
  if (numUpdatedRows === 0n) return false
  await endSessionsOf(transaction, id)
  return true
}

const recordChange = (transaction: Store, { accountId, email }: Person, actor: string, at: number): Promise<void> =>
  recordAudit(transaction, { accountId, at, actor, action: 'person.password_changed', subject: email })

/** Gives an invited person the password that they chose. The token then has no further use. */
export async function acceptInvitation(
  store: Store,
  { token, password, now }: { readonly token: string; readonly password: string; readonly now: number },
): Promise<Person | undefined> {
  // Hashing is expensive, so a wrong token is refused before it.
  if (!(await findInvited(store, token, now))) return undefined
  const passwordHash = await hashPassword(password)
  return store.transaction().execute(async (transaction) => {
    const person = await findInvited(transaction, token, now)
    if (!person) return undefined
    const { id, accountId, email } = person
    if (!(await updatePassword(transaction, id, passwordHash, { invitation: digestOf(token).selector })))
      return undefined
    await recordAudit(transaction, { accountId, at: now, actor: email, action: 'person.joined', subject: email })
    return { ...person, invitationExpiresAt: null }
  })
}

/** Finds the person that a token invites, if it has not expired and the account is not disabled. */
async function findInvited(store: Store, token: string, now: number): Promise<Person | undefined> {
  if (!isToken(token)) return undefined
  const { selector, verifier } = digestOf(token)
  const row = await store
    .selectFrom('people')
    .select([...personColumns, 'invitationVerifier'])
    .where('invitationSelector', '=', selector)
    .executeTakeFirst()
  if (!row || !isSameVerifier(row.invitationVerifier ?? '', verifier)) return undefined
  const { invitationVerifier: _, ...person } = row
  if (now >= (person.invitationExpiresAt ?? 0)) return undefined
  const account = await findAccount(store, person.accountId)
  return account?.disabledAt === null ? person : undefined
}
