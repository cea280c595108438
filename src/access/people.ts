import { randomUUID } from 'node:crypto'
import { dayMs } from '../query/day.ts'
import { lockAccounts } from '../store/accounts.ts'
import { recordAudit } from '../store/audit.ts'
import type { Store } from '../store/open-store.ts'
import type { Role } from '../store/tables.ts'
import { countPeople, findMembership, type Membership } from './memberships.ts'
import { hashPassword } from './password.ts'
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

type NotAdded = { readonly refusal: 'no_account' | 'email_taken' | 'too_many_people' }
/** A password was given, but the address has one, which an Administrator of another account may have chosen; or neither. */
type WrongPassword = { readonly refusal: 'has_password' | 'no_password' }

/** Adds a person who can sign in at once: with `password`, or if it is undefined, with the one that they have. */
export async function createPerson(
  store: Store,
  { password, ...person }: NewPerson & { readonly password: string | undefined },
): Promise<Membership | NotAdded | WrongPassword> {
  const passwordHash = password === undefined ? undefined : await hashPassword(password)
  const hasOther = new Error('the address has another password, or none')
  try {
    return await store.transaction().execute(async (transaction) => {
      const added = await addPerson(transaction, person)
      if ('refusal' in added) return added
      const { passwordHash: known } = await transaction
        .selectFrom('people')
        .select('passwordHash')
        .where('id', '=', added.personId)
        .executeTakeFirstOrThrow()
      // Thrown to roll back.
      if ((known === null) === (passwordHash === undefined)) throw hasOther
      if (passwordHash !== undefined)
        await transaction.updateTable('people').set({ passwordHash }).where('id', '=', added.personId).execute()
      return added
    })
  } catch (error) {
    if (error !== hasOther) throw error
    return { refusal: password === undefined ? 'no_password' : 'has_password' }
  }
}

/**
 * Invites an address. The returned token is its only copy. Nothing depends on the accounts that the address has already,
 * so that an Administrator does not learn of them.
 */
export async function invitePerson(
  store: Store,
  person: NewPerson,
): Promise<(Membership & { readonly token: string }) | NotAdded> {
  const token = generateToken()
  const { selector, verifier } = digestOf(token)
  const invitation = {
    invitationSelector: selector,
    invitationVerifier: verifier,
    invitationExpiresAt: person.now + invitationMsMax,
  }
  const added = await store.transaction().execute((transaction) => addPerson(transaction, person, invitation))
  return 'refusal' in added ? added : { ...added, token }
}

type Invitation = {
  readonly invitationSelector: string
  readonly invitationVerifier: string
  readonly invitationExpiresAt: number
}

async function addPerson(
  transaction: Store,
  { accountId, email, role, actor, now }: NewPerson,
  invitation?: Invitation,
): Promise<Membership | NotAdded> {
  if (!(await lockAccounts(transaction, [accountId]))) return { refusal: 'no_account' }
  if ((await countPeople(transaction, accountId)) >= peopleMax) return { refusal: 'too_many_people' }
  // An update that changes nothing locks the row of a known address until the membership is stored.
  const { personId } = await transaction
    .insertInto('people')
    .values({ id: makeId(), email, createdAt: now, accountId, role: '' })
    .onConflict((conflict) => conflict.column('email').doUpdateSet({ email }))
    .returning('id as personId')
    .executeTakeFirstOrThrow()
  const membership = { id: makeId(), personId, accountId, role, createdAt: now }
  const { numInsertedOrUpdatedRows } = await transaction
    .insertInto('memberships')
    .values({ ...membership, ...invitation })
    // An expired invitation is replaced.
    .onConflict((conflict) =>
      conflict
        .columns(['personId', 'accountId'])
        .doUpdateSet({ ...membership, ...(invitation ?? noInvitation) })
        .where('memberships.invitationExpiresAt', '<=', now),
    )
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows !== 1n) return { refusal: 'email_taken' }
  const action = invitation ? 'person.invited' : 'person.created'
  await recordAudit(transaction, { accountId, at: now, actor, action, subject: `${email}, ${role}` })
  const invitationExpiresAt = invitation?.invitationExpiresAt ?? null
  return { ...membership, email, invitationExpiresAt, lastSignedInAt: null }
}

export const noInvitation = { invitationSelector: null, invitationVerifier: null, invitationExpiresAt: null }

const makeId = (): string => `per_${randomUUID().replaceAll('-', '')}`

type Change = { readonly id: string; readonly accountId: string; readonly actor: string; readonly now: number }
type NotChanged = { readonly refusal: 'no_person' | 'last_administrator' }

/** Makes a person an Administrator or a Member of the account. */
export function changeRole(
  store: Store,
  { role, ...change }: Change & { readonly role: Role },
): Promise<Membership | NotChanged> {
  return withMembership(store, change, async (transaction, membership) => {
    if (membership.role === role) return membership
    if (role === 'member' && (await isLastAdministrator(transaction, membership)))
      return { refusal: 'last_administrator' }
    await transaction.updateTable('memberships').set({ role }).where('id', '=', membership.id).execute()
    const { accountId, now: at, actor } = change
    const subject = `${membership.email}, ${role}`
    await recordAudit(transaction, { accountId, at, actor, action: 'person.role_changed', subject })
    return { ...membership, role }
  })
}

/** Removes a person from the account. Other accounts of the person stay as they are. */
export function removePerson(store: Store, change: Change): Promise<Membership | NotChanged> {
  return withMembership(store, change, async (transaction, membership) => {
    if (await isLastAdministrator(transaction, membership)) return { refusal: 'last_administrator' }
    // Views are deleted with it. A trigger ends the sign-in of a person who has no other account.
    await transaction.deleteFrom('memberships').where('id', '=', membership.id).execute()
    const { accountId, now: at, actor } = change
    await recordAudit(transaction, { accountId, at, actor, action: 'person.removed', subject: membership.email })
    return membership
  })
}

/** Makes one change of an account's people at a time, so that two Administrators cannot remove each other. */
function withMembership(
  store: Store,
  { id, accountId }: Change,
  change: (transaction: Store, membership: Membership) => Promise<Membership | NotChanged>,
): Promise<Membership | NotChanged> {
  return store.transaction().execute(async (transaction) => {
    await lockAccounts(transaction, [accountId])
    const membership = await findMembership(transaction, id)
    if (membership?.accountId !== accountId) return { refusal: 'no_person' }
    // Everybody locks a person before their memberships, so that two transactions cannot deadlock.
    const person = transaction.updateTable('people').where('id', '=', membership.personId)
    await person.set((sql) => ({ email: sql.ref('email') })).execute()
    return change(transaction, membership)
  })
}

/** Without an Administrator who has joined, nobody could create keys or invite people. */
async function isLastAdministrator(transaction: Store, membership: Membership): Promise<boolean> {
  if (membership.role !== 'administrator' || membership.invitationExpiresAt !== null) return false
  const another = await transaction
    .selectFrom('memberships')
    .select('id')
    .where('accountId', '=', membership.accountId)
    .where('role', '=', 'administrator')
    .where('invitationExpiresAt', 'is', null)
    .where('id', '!=', membership.id)
    .limit(1)
    .executeTakeFirst()
  return another === undefined
}
