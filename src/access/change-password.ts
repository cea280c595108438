import { recordAudit } from '../store/audit.ts'
import type { Store } from '../store/open-store.ts'
import { hashPassword } from './password.ts'
import type { Person } from './people.ts'
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
