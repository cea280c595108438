import { lockAccounts } from '../store/accounts.ts'
import { recordAudit } from '../store/audit.ts'
import type { Store } from '../store/open-store.ts'
import type { Role } from '../store/tables.ts'
import { findPerson, type Person } from './people.ts'

type Change = { readonly id: string; readonly accountId: string; readonly actor: string; readonly now: number }
type Refused = { readonly refusal: 'no_person' | 'last_administrator' }

/** Makes a person an Administrator or a Member. */
export function changeRole(
  store: Store,
  { role, ...change }: Change & { readonly role: Role },
): Promise<Person | Refused> {
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
export function removePerson(store: Store, change: Change): Promise<Person | Refused> {
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
  change: (transaction: Store, person: Person) => Promise<Person | Refused>,
): Promise<Person | Refused> {
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
