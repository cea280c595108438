import { recordAudit } from '../store/audit.ts'
import type { Store } from '../store/open-store.ts'
import { noInvitation } from './people.ts'
import { hashPassword } from './password.ts'
import { endSessionsOf, openSession } from './sessions.ts'

type Change = {
  readonly person: { readonly personId: string; readonly email: string }
  readonly password: string
  readonly now: number
}

/**
 * Sets a password and ends the sessions that the old one opened. The operator vouches for a person who has only
 * invitations: they have joined then, where these have not expired. False if the person was removed meanwhile.
 */
export async function resetPassword(
  store: Store,
  { person, password, actor, now }: Change & { readonly actor: string },
): Promise<boolean> {
  const passwordHash = await hashPassword(password)
  return store.transaction().execute(async (transaction) => {
    if (!(await updatePassword(transaction, person.personId, passwordHash))) return false
    const accounts = await listJoinedAccounts(transaction, person.personId)
    if (accounts.length === 0) {
      await transaction
        .updateTable('memberships')
        .set(noInvitation)
        .where('personId', '=', person.personId)
        .where('invitationExpiresAt', '>', now)
        .execute()
    }
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
    if (!(await updatePassword(transaction, person.personId, passwordHash, replaced))) return undefined
    await recordChange(transaction, person, person.email, now)
    return openSession(transaction, person.personId, now)
  })
}

/** Stores a password, and ends the sessions. False if the person was removed, or has another password than `replaced`. */
async function updatePassword(
  transaction: Store,
  personId: string,
  passwordHash: string,
  replaced?: string,
): Promise<boolean> {
  let query = transaction.updateTable('people').set({ passwordHash }).where('id', '=', personId)
  if (replaced !== undefined) query = query.where('passwordHash', '=', replaced)
  const { numUpdatedRows } = await query.executeTakeFirst()
  if (numUpdatedRows === 0n) return false
  await endSessionsOf(transaction, personId)
  return true
}

/** Records a change in each account that the password opens. */
async function recordChange(transaction: Store, { personId, email }: Change['person'], actor: string, at: number) {
  for (const accountId of await listJoinedAccounts(transaction, personId)) {
    await recordAudit(transaction, { accountId, at, actor, action: 'person.password_changed', subject: email })
  }
}

async function listJoinedAccounts(transaction: Store, personId: string): Promise<readonly string[]> {
  const joined = await transaction
    .selectFrom('memberships')
    .select('accountId')
    .where('personId', '=', personId)
    .where('invitationExpiresAt', 'is', null)
    .execute()
  return joined.map(({ accountId }) => accountId)
}
