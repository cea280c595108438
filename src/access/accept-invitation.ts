import { findAccount } from '../store/accounts.ts'
import { recordAudit } from '../store/audit.ts'
import type { Store } from '../store/open-store.ts'
import { updatePassword } from './change-password.ts'
import { hashPassword } from './password.ts'
import { personColumns, type Person } from './people.ts'
import { digestOf, isSameVerifier, isToken } from './secret-digest.ts'

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
