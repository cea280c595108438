import { createPerson } from '../../../src/access/create-person.ts'
import { openSession } from '../../../src/access/session.ts'
import { insertAccount } from '../../../src/store/accounts.ts'
import { operator } from '../../../src/store/audit.ts'
import type { Store } from '../../../src/store/open-store.ts'
import type { Role } from '../../../src/store/tables.ts'

const password = 'correct horse battery'
let made = 0

/** An account without facts. */
export async function makeAccount(store: Store, name: string): Promise<string> {
  const id = `${name.toLowerCase().replaceAll(/\W+/g, '-')}-${process.pid}-${made++}`
  await insertAccount(store, { id, name, createdAt: Date.now() })
  return id
}

/** Somebody of an account, and the cookie of a session that they have open. */
export async function makePerson(store: Store, accountId: string, role: Role = 'administrator') {
  const email = `${role}-${process.pid}-${made++}@${accountId}.example`
  const now = Date.now()
  const person = await createPerson(store, { accountId, email, role, password, actor: operator, now })
  if ('refusal' in person) throw new Error(person.refusal)
  return { id: person.id, email, password, cookie: `adcube=${await openSession(store, person.id, now)}` }
}
