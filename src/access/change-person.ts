import { lockAccounts } from '../store/accounts.ts'
import { recordAudit } from '../store/audit.ts'
import type { Store } from '../store/open-store.ts'
import { countAdministrators, deletePerson, findPerson, updateRole, type Person } from '../store/people.ts'
import type { Role } from '../store/tables.ts'
import type { Actor } from './actor.ts'

type Change = { readonly id: string; readonly accountId: string; readonly actor: Actor; readonly now: number }
type Refused = { readonly refusal: 'no_person' | 'last_administrator' }

/** Makes somebody an Administrator or a Member. */
export function changeRole(
  store: Store,
  { role, ...change }: Change & { readonly role: Role },
): Promise<Person | Refused> {
  return withPerson(store, change, async (transaction, person) => {
    if (person.role === role) return person
    if (role === 'member' && (await isLastAdministrator(transaction, person))) return { refusal: 'last_administrator' }
    await updateRole(transaction, person.id, role)
    const { accountId, now: at, actor } = change
    const subject = `${person.email}, ${role}`
    await recordAudit(transaction, { accountId, at, actor, action: 'person.role_changed', subject })
    return { ...person, role }
  })
}

/** Takes somebody out of the account; wherever they are signed in, they are signed out. */
export function removePerson(store: Store, change: Change): Promise<Person | Refused> {
  return withPerson(store, change, async (transaction, person) => {
    if (await isLastAdministrator(transaction, person)) return { refusal: 'last_administrator' }
    await deletePerson(transaction, person.id)
    const { accountId, now: at, actor } = change
    await recordAudit(transaction, { accountId, at, actor, action: 'person.removed', subject: person.email })
    return person
  })
}

/** One change of an account's people at a time, so that two Administrators cannot remove each other at once. */
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

/** Without one, nobody could make keys or let anybody in. */
async function isLastAdministrator(
  transaction: Store,
  { role, invitationExpiresAt, accountId }: Person,
): Promise<boolean> {
  return (
    role === 'administrator' &&
    invitationExpiresAt === null &&
    (await countAdministrators(transaction, accountId)) === 1
  )
}
