import { isStoreAway, isStoreFull } from '../store/errors.ts'
import type { Store } from '../store/open-store.ts'
import { findJoined, type Membership } from './memberships.ts'
import { digestOf, generateToken, isSameVerifier, isToken } from './secret-digest.ts'

const hourMs = 60 * 60 * 1000
/** A session ends after a working day without use, and after a week in any case. */
export const idleMsMax = 12 * hourMs
export const sessionMsMax = 7 * 24 * hourMs
/** Storing each use would make every read a write. */
const noteSeenMs = 5 * 60 * 1000

/** A signed-in person, with at least one membership. */
export type Session = {
  readonly personId: string
  readonly email: string
  readonly memberships: readonly Membership[]
}

/** Opens a session. The token is for the cookie; the store gets only its digest. */
export async function openSession(store: Store, personId: string, now: number): Promise<string> {
  const token = generateToken()
  await store
    .insertInto('sessions')
    .values({ ...digestOf(token), personId, createdAt: now, lastSeenAt: now })
    .execute()
  return token
}

/** Finds the session of a token; undefined if it is unknown or over, or all accounts of the person are disabled. */
export async function resumeSession(store: Store, token: string, now: number): Promise<Session | undefined> {
  if (!isToken(token)) return undefined
  const { selector, verifier } = digestOf(token)
  const session = await store.selectFrom('sessions').selectAll().where('selector', '=', selector).executeTakeFirst()
  if (!session || !isSameVerifier(session.verifier, verifier)) return undefined
  if (now - session.createdAt >= sessionMsMax || now - session.lastSeenAt >= idleMsMax) return undefined
  const memberships = await findJoined(store, session.personId)
  const [first] = memberships
  if (!first) return undefined
  if (now - session.lastSeenAt >= noteSeenMs) {
    const seen = store.updateTable('sessions').set({ lastSeenAt: now }).where('selector', '=', selector)
    // A request that only reads must not fail because this could not be written.
    await seen.execute().catch((error: unknown) => {
      if (!isStoreFull(error) && !isStoreAway(error)) throw error
    })
  }
  return { personId: first.personId, email: first.email, memberships }
}

export async function endSession(store: Store, token: string): Promise<void> {
  await store.deleteFrom('sessions').where('selector', '=', digestOf(token).selector).execute()
}

export async function endSessionsOf(store: Store, personId: string): Promise<void> {
  await store.deleteFrom('sessions').where('personId', '=', personId).execute()
}
