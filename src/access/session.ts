import type { Account } from '../store/accounts.ts'
import type { Store } from '../store/open-store.ts'
import type { Person } from '../store/people.ts'
import { deleteSession, findSession, insertSession, updateLastSeen } from '../store/sessions.ts'
import { digestOf, generateToken, isSameVerifier, isToken } from './secret-digest.ts'

const hour = 60 * 60 * 1000
/** A working day without use ends a session; a week ends it in any case. */
export const idleMsMax = 12 * hour
export const sessionMsMax = 7 * 24 * hour
/** Noting each request would make every look at a page a write. */
const noteSeenMs = 5 * 60 * 1000

export type Session = { readonly person: Person; readonly account: Account }

/** Opens a session. The token is for the cookie; the store learns only its digest. */
export async function openSession(store: Store, personId: string, now: number): Promise<string> {
  const token = generateToken()
  await insertSession(store, { ...digestOf(token), personId, createdAt: now, lastSeenAt: now })
  return token
}

/** The session of a token, or undefined where it is unknown, over, or its account disabled. */
export async function resumeSession(store: Store, token: string, now: number): Promise<Session | undefined> {
  if (!isToken(token)) return undefined
  const { selector, verifier } = digestOf(token)
  const session = await findSession(store, selector)
  if (!session || !isSameVerifier(session.verifier, verifier)) return undefined
  const isOver = now - session.createdAt >= sessionMsMax || now - session.lastSeenAt >= idleMsMax
  if (isOver || session.account.disabledAt !== null) return undefined
  if (now - session.lastSeenAt >= noteSeenMs) await updateLastSeen(store, selector, now)
  return { person: session.person, account: session.account }
}

export const endSession = (store: Store, token: string): Promise<void> => deleteSession(store, digestOf(token).selector)
