import { findAccount, lockAccounts } from '../store/accounts.ts'
import { recordAudit } from '../store/audit.ts'
import type { Store } from '../store/open-store.ts'
import { selectMemberships, type Membership } from './memberships.ts'
import { hashPassword } from './password.ts'
import { noInvitation } from './people.ts'
import { digestOf, isSameVerifier, isToken } from './secret-digest.ts'
import type { Session } from './sessions.ts'
import type { SignIn, SignInRefusal } from './sign-in.ts'

type Acceptance = {
  readonly token: string
  /** The password of the invited address, or the first one of an address that has none. */
  readonly password?: string | undefined
  /** Takes the place of the password, if it is of the invited address. */
  readonly session?: Session | undefined
  readonly address: string
  readonly now: number
}

type Invited = Membership & { readonly passwordHash: string | null }

/**
 * Accepts an invitation, whose token then has no further use. The token alone changes nothing for an address that has a
 * password: an Administrator of any account can invite any address and so get a token.
 */
export async function acceptInvitation(
  store: Store,
  passwords: SignIn,
  { token, password, session, address, now }: Acceptance,
): Promise<Membership | SignInRefusal> {
  // Hashing is expensive, so a wrong token is refused before it.
  const invited = await findInvited(store, token, now)
  if (!invited) return { refusal: 'wrong' }
  const { email, personId } = invited
  if (password === undefined) {
    if (invited.passwordHash === null || session?.personId !== personId) return { refusal: 'wrong' }
    return join(store, token, now, invited.passwordHash)
  }
  if (invited.passwordHash === null) return join(store, token, now, null, await hashPassword(password))
  // Counted like a sign-in: otherwise invitations would be a way to guess passwords.
  const checked = await passwords.check({ email, password, address }, now)
  return 'refusal' in checked ? checked : join(store, token, now, checked.passwordHash)
}

/** Joins the account if the person still has the password that was checked, or none, in which case it is set. */
function join(
  store: Store,
  token: string,
  now: number,
  checked: string | null,
  passwordHash = checked,
): Promise<Membership | SignInRefusal> {
  return store.transaction().execute(async (transaction) => {
    const invited = await findInvited(transaction, token, now)
    if (!invited) return { refusal: 'wrong' }
    const { passwordHash: _, ...membership } = invited
    await lockAccounts(transaction, [membership.accountId])
    const { numUpdatedRows } = await transaction
      .updateTable('people')
      .set({ passwordHash })
      .where('id', '=', membership.personId)
      .where('passwordHash', checked === null ? 'is' : '=', checked)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return { refusal: 'wrong' }
    const { numUpdatedRows: joined } = await transaction
      .updateTable('memberships')
      .set(noInvitation)
      .where('invitationSelector', '=', digestOf(token).selector)
      .executeTakeFirst()
    if (joined === 0n) return { refusal: 'wrong' }
    const { accountId, email } = membership
    await recordAudit(transaction, { accountId, at: now, actor: email, action: 'person.joined', subject: email })
    return { ...membership, invitationExpiresAt: null }
  })
}

/** Finds what a token invites to, if it has not expired and the account is not disabled. */
async function findInvited(store: Store, token: string, now: number): Promise<Invited | undefined> {
  if (!isToken(token)) return undefined
  const { selector, verifier } = digestOf(token)
  const row = await selectMemberships(store)
    .select(['memberships.invitationVerifier', 'passwordHash'])
    .where('memberships.invitationSelector', '=', selector)
    .executeTakeFirst()
  if (!row || !isSameVerifier(row.invitationVerifier ?? '', verifier)) return undefined
  const { invitationVerifier: _, ...invited } = row
  if (now >= (invited.invitationExpiresAt ?? 0)) return undefined
  const account = await findAccount(store, invited.accountId)
  return account?.disabledAt === null ? invited : undefined
}
