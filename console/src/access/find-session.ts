import { calls } from '../api/calls.ts'
import { isForeign, isSessionOver, type SessionState } from '../api/query-client.ts'

/** Asks for the session in the account of the address. */
export async function findSession(options: { readonly signal?: AbortSignal } = {}): Promise<SessionState> {
  try {
    return (await calls.session(options)) ?? 'signed-out'
  } catch (error) {
    if (isSessionOver(error)) return 'expired'
    if (isForeign(error)) return 'foreign'
    throw error
  }
}
