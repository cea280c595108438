import { toAccount, type Account } from './accounts.ts'
import type { Digest } from './digest.ts'
import type { Store } from './open-store.ts'
import { toPerson, type Person } from './people.ts'

export type StoredSession = {
  readonly verifier: string
  readonly createdAt: number
  readonly lastSeenAt: number
  readonly person: Person
  readonly account: Account
}

export async function insertSession(
  store: Store,
  session: Digest & { readonly personId: string; readonly now: number },
): Promise<void> {
  const { selector, verifier, personId, now } = session
  await store
    .insertInto('sessions')
    .values({ selector, verifier, person_id: personId, created_at: now, last_seen_at: now })
    .execute()
}

export async function findSession(store: Store, selector: string): Promise<StoredSession | undefined> {
  const row = await store.selectFrom('sessions').selectAll().where('selector', '=', selector).executeTakeFirst()
  if (!row) return undefined
  const person = await store.selectFrom('people').selectAll().where('id', '=', row.person_id).executeTakeFirst()
  if (!person) return undefined
  const account = await store
    .selectFrom('accounts')
    .selectAll()
    .where('id', '=', person.account_id)
    .executeTakeFirstOrThrow()
  return {
    verifier: row.verifier,
    createdAt: row.created_at,
    lastSeenAt: row.last_seen_at,
    person: toPerson(person),
    account: toAccount(account),
  }
}

export async function updateLastSeen(store: Store, selector: string, now: number): Promise<void> {
  await store.updateTable('sessions').set({ last_seen_at: now }).where('selector', '=', selector).execute()
}

export async function deleteSession(store: Store, selector: string): Promise<void> {
  await store.deleteFrom('sessions').where('selector', '=', selector).execute()
}

export async function deleteSessionsOf(store: Store, personId: string): Promise<void> {
  await store.deleteFrom('sessions').where('person_id', '=', personId).execute()
}
