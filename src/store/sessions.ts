import type { Insertable, Selectable } from 'kysely'
import { findAccount, type Account } from './accounts.ts'
import type { Store } from './open-store.ts'
import { findPerson, type Person } from './people.ts'
import type { Tables } from './tables.ts'

type StoredSession = Selectable<Tables['sessions']> & { readonly person: Person; readonly account: Account }

export async function insertSession(store: Store, session: Insertable<Tables['sessions']>): Promise<void> {
  await store.insertInto('sessions').values(session).execute()
}

export async function findSession(store: Store, selector: string): Promise<StoredSession | undefined> {
  const session = await store.selectFrom('sessions').selectAll().where('selector', '=', selector).executeTakeFirst()
  const person = session && (await findPerson(store, session.personId))
  const account = person && (await findAccount(store, person.accountId))
  return account && { ...session, person, account }
}

export async function updateLastSeen(store: Store, selector: string, now: number): Promise<void> {
  await store.updateTable('sessions').set({ lastSeenAt: now }).where('selector', '=', selector).execute()
}

export async function deleteSession(store: Store, selector: string): Promise<void> {
  await store.deleteFrom('sessions').where('selector', '=', selector).execute()
}

export async function deleteSessionsOf(store: Store, personId: string): Promise<void> {
  await store.deleteFrom('sessions').where('personId', '=', personId).execute()
}
