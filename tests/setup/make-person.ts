import { argon2Sync, randomBytes } from 'node:crypto'
import type { Store } from '../../src/store/open-store.ts'
import type { Role } from '../../src/store/tables.ts'

export const password = 'correct horse battery'

/** The cheapest possible hash, because tests sign in many people. */
const passwordHash = makeCheapHash(password)
let made = 0

/** Creates a person who can sign in. The id is that of the person and of the membership. */
export async function makePerson(
  store: Store,
  { accountId, role, now }: { readonly accountId: string; readonly role: Role; readonly now: number },
): Promise<{ readonly id: string; readonly email: string }> {
  const person = {
    id: `per_${randomBytes(16).toString('hex')}`,
    email: `${role}-${process.pid}-${made++}@${accountId}.example`,
  }
  await store
    .insertInto('people')
    .values({ ...person, accountId, role: '', createdAt: now, passwordHash })
    .execute()
  await addMembership(store, { id: person.id, personId: person.id, accountId, role, now })
  return person
}

/** Adds a person to another account. */
export async function addMembership(
  store: Store,
  { now, id = `per_${randomBytes(16).toString('hex')}`, ...membership }: NewMembership,
): Promise<string> {
  await store
    .insertInto('memberships')
    .values({ ...membership, id, createdAt: now })
    .execute()
  return id
}

type NewMembership = {
  readonly id?: string
  readonly personId: string
  readonly accountId: string
  readonly role: Role
  readonly now: number
}

function makeCheapHash(message: string): string {
  const nonce = randomBytes(16)
  const tag = argon2Sync('argon2id', { message, nonce, memory: 8, passes: 1, parallelism: 1, tagLength: 32 })
  const encode = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '')
  return `$argon2id$v=19$m=8,t=1,p=1$${encode(nonce)}$${encode(tag)}`
}
