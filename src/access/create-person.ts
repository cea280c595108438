import { randomUUID } from 'node:crypto'
import type { Insertable } from 'kysely'
import { dayMs } from '../query/day.ts'
import { lockAccounts } from '../store/accounts.ts'
import { recordAudit } from '../store/audit.ts'
import type { Store } from '../store/open-store.ts'
import type { Role, Tables } from '../store/tables.ts'
import { hashPassword } from './password.ts'
import { countPeople, personColumns, type Person } from './people.ts'
import { digestOf, generateToken } from './secret-digest.ts'

/** More than any publisher has. */
export const peopleMax = 1_000
const invitationMsMax = 7 * dayMs

type NewPerson = {
  readonly accountId: string
  readonly email: string
  readonly role: Role
  readonly actor: string
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

/** Invites a person, who chooses a password with the token. The returned token is its only copy. */
export async function invitePerson(
  store: Store,
  person: NewPerson,
): Promise<(Person & { readonly token: string }) | Refused> {
  const token = generateToken()
  const { selector, verifier } = digestOf(token)
  const added = await addPerson(store, person, {
    invitationSelector: selector,
    invitationVerifier: verifier,
    invitationExpiresAt: person.now + invitationMsMax,
  })
  return 'refusal' in added ? added : { ...added, token }
}

function addPerson(
  store: Store,
  { accountId, email, role, actor, now }: NewPerson,
  secret: Partial<Insertable<Tables['people']>>,
): Promise<Person | Refused> {
  const id = `per_${randomUUID().replaceAll('-', '')}`
  return store.transaction().execute(async (transaction) => {
    if (!(await lockAccounts(transaction, [accountId]))) return { refusal: 'no_account' }
    if ((await countPeople(transaction, accountId)) >= peopleMax) return { refusal: 'too_many_people' }
    // An expired invitation must not keep an address from being invited again, to this account or another.
    await transaction
      .deleteFrom('people')
      .where('email', '=', email)
      .where('passwordHash', 'is', null)
      .where('invitationExpiresAt', '<=', now)
      .execute()
    const person = await transaction
      .insertInto('people')
      .values({ id, accountId, email, role, createdAt: now, ...secret })
      .onConflict((conflict) => conflict.doNothing())
      .returning(personColumns)
      .executeTakeFirst()
    if (!person) return { refusal: 'email_taken' }
    const action = person.invitationExpiresAt === null ? 'person.created' : 'person.invited'
    await recordAudit(transaction, { accountId, at: now, actor, action, subject: `${email}, ${role}` })
    return person
  })
}
