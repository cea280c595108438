import type { FastifyRequest } from 'fastify'
import type { Refusal } from '../../access/verify-key.ts'
import type { Account } from '../../store/accounts.ts'
import type { Services } from '../services.ts'
import { Problem } from '../../contract/problems.ts'
import { originOfRequest } from './origin-of-request.ts'

declare module 'fastify' {
  interface FastifyRequest {
    account: Account | undefined
  }
}

const refusals: Record<Refusal, (request: FastifyRequest) => Problem> = {
  missing: ({ headers }) => {
    const place = headers.authorization === undefined ? '' : ', not in Authorization'
    return new Problem('key_missing', `Send your key in the header x-api-key${place}.`)
  },
  invalid: () => new Problem('key_invalid', 'The key in the header x-api-key is unknown or misspelled.'),
  expired: () =>
    new Problem('key_expired', 'Keys expire after six months. An Administrator of the account can create a new one.'),
  busy: () =>
    new Problem('too_many_attempts', 'Too many unknown keys come from this IP address.', {
      headers: { 'retry-after': '1' },
    }),
  disabled: () => new Problem('account_disabled', 'The key is valid, but the account is disabled.'),
}

/** The key in the header x-api-key. */
const readKey = ({ headers: { 'x-api-key': key } }: FastifyRequest): string | undefined =>
  Array.isArray(key) ? key.join(',') : key

/** The key in the header x-api-key, or as a bearer token, which is all that some assistants can send. */
export const readKeyOrToken = (request: FastifyRequest): string | undefined =>
  readKey(request) ?? /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]

/** A hook that requires a valid API key, and sets the account of the request. */
export function authenticate({ keys, countRefused, now }: Services, read = readKey) {
  return async (request: FastifyRequest): Promise<void> => {
    request.notes.enter('auth')
    const verdict = await keys.verify(read(request), now(), () => originOfRequest(request))
    request.notes.leave()
    request.notes.key = verdict.keyId
    if ('account' in verdict) {
      request.account = verdict.account
      return
    }
    // Only refused requests are counted, so that nobody at the same address can slow down a valid key.
    countRefused(request)
    throw refusals[verdict.refusal](request)
  }
}

/** The account of a request that has passed `authenticate` or `requireSession`. */
export function accountOf(request: FastifyRequest): Account {
  if (!request.account) throw new Error('a route without authentication asked for the account')
  return request.account
}
