import { openSession } from '../../../src/access/sessions.ts'
import { insertAccount } from '../../../src/store/accounts.ts'
import type { Store } from '../../../src/store/open-store.ts'
import type { Role } from '../../../src/store/tables.ts'
import { addMembership, makePerson, password } from '../../setup/make-person.ts'

let made = 0

/** Creates an account without facts. */
export async function makeAccount(store: Store, name: string): Promise<string> {
  const id = `${name.toLowerCase().replaceAll(/\W+/g, '-')}-${process.pid}-${made++}`
  await insertAccount(store, { id, name, createdAt: Date.now() })
  return id
}

/** Creates a person with an open session, and returns its cookie. They are a Member of the other accounts. */
export async function makeSignedIn(
  store: Store,
  accountId: string,
  role: Role = 'administrator',
  others: readonly string[] = [],
) {
  const now = Date.now()
  const person = await makePerson(store, { accountId, role, now })
  for (const other of others) {
    await addMembership(store, { personId: person.id, accountId: other, role: 'member', now })
  }
  return { ...person, password, cookie: `adcube=${await openSession(store, person.id, now)}` }
}
