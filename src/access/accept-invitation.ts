import { findAccount } from '../store/accounts.ts'
import { recordAudit } from '../store/audit.ts'
import type { Store } from '../store/open-store.ts'
import { findInvited, updatePassword, type Person } from '../store/people.ts'
import { actorOf } from './actor.ts'
import { hashPassword } from './password.ts'
import { digestOf, isSameVerifier, isToken } from './secret-digest.ts'

/** Gives an invited person the password that they chose. The token is then used up. */
export async function acceptInvitation(
  store: Store,
  { token, password, now }: { readonly token: string; readonly password: string; readonly now: number },
): Promise<Person | undefined> {
  // A guess at a token is not worth the work of hashing.
  if (!(await findInvitation(store, token, now))) return undefined
  const passwordHash = await hashPassword(password)
  return store.transaction().execute(async (transaction) => {
    const person = await findInvitation(transaction, token, now)
    if (!person) return undefined
    if (!(await updatePassword(transaction, person.id, passwordHash, { invitation: digestOf(token).selector }))) {
      return undefined
    }
    await recordAudit(transaction, {
      accountId: person.accountId,
      at: now,
      actor: actorOf(person),
      action: 'person.joined',
      subject: person.email,
    })
    return { ...person, invitationExpiresAt: null }
  })
}

/** Whom a token invites, as long as it is good. */
async function findInvitation(store: Store, token: string, now: number): Promise<Person | undefined> {
  if (!isToken(token)) return undefined
  const { selector, verifier } = digestOf(token)
  const invited = await findInvited(store, selector)
  if (!invited || !isSameVerifier(invited.verifier ?? '', verifier)) return undefined
  const { person } = invited
  if (now >= (person.invitationExpiresAt ?? 0)) return undefined
  const account = await findAccount(store, person.accountId)
  return account?.disabledAt === null ? person : undefined
}
