import { randomUUID } from 'node:crypto'
import { lockAccounts } from '../store/accounts.ts'
import { recordAudit } from '../store/audit.ts'
import type { Store } from '../store/open-store.ts'
import { countPeople, deleteExpiredInvitation, insertPerson, type Person } from '../store/people.ts'
import type { Role } from '../store/tables.ts'
import type { Actor } from './actor.ts'
import { hashPassword } from './password.ts'
import { digestOf, generateToken } from './secret-digest.ts'

/** More than any publisher has; a list of people stays a list that can be read. */
export const peopleMax = 1_000
const invitationMsMax = 7 * 24 * 60 * 60 * 1000

type NewPerson = {
  readonly accountId: string
  readonly email: string
  readonly role: Role
  readonly actor: Actor
  readonly now: number
}

type Refused = { readonly refusal: 'no_account' | 'email_taken' | 'too_many_people' }

/** Adds a person who can sign in at once. */
export async function createPerson(
  store: Store,
  { password, ...person }: NewPerson & { readonly password: string },
): Promise<Person | Refused> {
  return addPerson(store, person, { passwordHash: await hashPassword(password) })
}

/** Adds a person who is yet to choose a password, with the token that lets them. It is shown once, like a key. */
export async function invitePerson(
  store: Store,
  person: NewPerson,
): Promise<(Person & { readonly token: string }) | Refused> {
  const token = generateToken()
  const { selector, verifier } = digestOf(token)
  const invitation = {
    invitationSelector: selector,
    invitationVerifier: verifier,
    invitationExpiresAt: person.now + invitationMsMax,
  }
  const added = await addPerson(store, person, invitation)
  return 'refusal' in added ? added : { ...added, token }
}

function addPerson(
  store: Store,
  { accountId, email, role, actor, now }: NewPerson,
  secret:
    | { readonly passwordHash: string }
    | {
        readonly invitationSelector: string
        readonly invitationVerifier: string
        readonly invitationExpiresAt: number
      },
): Promise<Person | Refused> {
  const person = { id: `per_${randomUUID().replaceAll('-', '')}`, accountId, email, role, createdAt: now }
  const invitationExpiresAt = 'passwordHash' in secret ? null : secret.invitationExpiresAt
  return store.transaction().execute(async (transaction) => {
    if (!(await lockAccounts(transaction, [accountId]))) return { refusal: 'no_account' }
    if ((await countPeople(transaction, accountId)) >= peopleMax) return { refusal: 'too_many_people' }
    await deleteExpiredInvitation(transaction, email, now)
    if (!(await insertPerson(transaction, { ...person, ...secret }))) return { refusal: 'email_taken' }
    await recordAudit(transaction, {
      accountId,
      at: now,
      actor,
      action: invitationExpiresAt === null ? 'person.created' : 'person.invited',
      subject: `${email}, ${role}`,
    })
    return { ...person, invitationExpiresAt, lastSignedInAt: null }
  })
}
