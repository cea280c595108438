import { randomUUID } from 'node:crypto'
import type { Insertable, Selectable } from 'kysely'
import { dayMs } from '../query/day.ts'
import { lockAccounts } from '../store/accounts.ts'
import { recordAudit } from '../store/audit.ts'
import type { Store } from '../store/open-store.ts'
import type { Role, Tables } from '../store/tables.ts'
import { hashPassword } from './password.ts'
import { digestOf, generateToken } from './secret-digest.ts'

/** More than any publisher has. */
export const peopleMax = 1_000
const invitationMsMax = 7 * dayMs

/** All but the password's hash and the invitation's digest. */
export const personColumns = [
  'id',
  'accountId',
  'email',
  'role',
  'invitationExpiresAt',
  'createdAt',
  'lastSignedInAt',
] as const

/** A person without secrets. `invitationExpiresAt` is null once they have joined. */
export type Person = Pick<Selectable<Tables['people']>, (typeof personColumns)[number]>

export async function findPerson(store: Store, id: string): Promise<Person | undefined> {
  return store.selectFrom('people').select(personColumns).where('id', '=', id).executeTakeFirst()
}

export async function findPersonByEmail(store: Store, email: string): Promise<Person | undefined> {
  return store.selectFrom('people').select(personColumns).where('email', '=', email).executeTakeFirst()
}

/** Lists people in the order of their addresses: at most `limit`, only those after the address `after`. */
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

type NewPerson = {
  readonly accountId: string
  readonly email: string
  readonly role: Role
  readonly actor: string
  readonly now: number
}

type NotAdded = { readonly refusal: 'no_account' | 'email_taken' | 'too_many_people' }

/** Adds a person who can sign in at once. */
export async function createPerson(
  store: Store,
  { password, ...person }: NewPerson & { readonly password: string },
): Promise<Person | NotAdded> {
  return addPerson(store, person, { passwordHash: await hashPassword(password) })
}

/** Invites a person, who chooses a password with the token. The returned token is its only copy. */
export async function invitePerson(
  store: Store,
  person: NewPerson,
): Promise<(Person & { readonly token: string }) | NotAdded> {
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
): Promise<Person | NotAdded> {
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

type Change = { readonly id: string; readonly accountId: string; readonly actor: string; readonly now: number }
type NotChanged = { readonly refusal: 'no_person' | 'last_administrator' }

/** Makes a person an Administrator or a Member. */
export function changeRole(
  store: Store,
  { role, ...change }: Change & { readonly role: Role },
): Promise<Person | NotChanged> {
  return withPerson(store, change, async (transaction, person) => {
    if (person.role === role) return person
    if (role === 'member' && (await isLastAdministrator(transaction, person))) return { refusal: 'last_administrator' }
    await transaction.updateTable('people').set({ role }).where('id', '=', person.id).execute()
    const { accountId, now: at, actor } = change
    const subject = `${person.email}, ${role}`
    await recordAudit(transaction, { accountId, at, actor, action: 'person.role_changed', subject })
    return { ...person, role }
  })
}

/** Removes a person from the account and ends their sessions. */
export function removePerson(store: Store, change: Change): Promise<Person | NotChanged> {
  return withPerson(store, change, async (transaction, person) => {
    if (await isLastAdministrator(transaction, person)) return { refusal: 'last_administrator' }
    // Sessions and views are deleted with the person.
    await transaction.deleteFrom('people').where('id', '=', person.id).execute()
    const { accountId, now: at, actor } = change
    await recordAudit(transaction, { accountId, at, actor, action: 'person.removed', subject: person.email })
    return person
  })
}

/** Makes one change of an account's people at a time, so that two Administrators cannot remove each other. */
function withPerson(
  store: Store,
  { id, accountId }: Change,
  change: (transaction: Store, person: Person) => Promise<Person | NotChanged>,
): Promise<Person | NotChanged> {
  return store.transaction().execute(async (transaction) => {
    await lockAccounts(transaction, [accountId])
    const person = await findPerson(transaction, id)
    return person?.accountId === accountId ? change(transaction, person) : { refusal: 'no_person' }
  })
}

/** Without an Administrator who has joined, nobody could create keys or invite people. */
async function isLastAdministrator(transaction: Store, person: Person): Promise<boolean> {
  if (person.role !== 'administrator' || person.invitationExpiresAt !== null) return false
  const another = await transaction
    .selectFrom('people')
    .select('id')
    .where('accountId', '=', person.accountId)
    .where('role', '=', 'administrator')
    .where('passwordHash', 'is not', null)
    .where('id', '!=', person.id)
    .limit(1)
    .executeTakeFirst()
  return another === undefined
}
