import type { FastifyReply, FastifyRequest } from 'fastify'
import { verifyKey } from '../access/verify-key.ts'
import type { Account } from '../store/accounts.ts'
import type { Deps } from './app.ts'
import { Problem } from './problems.ts'

declare module 'fastify' {
  interface FastifyRequest {
    account: Account | undefined
  }
}

const refusals = {
  missing: () => new Problem('key_missing', 'Send your key in the header x-api-key.'),
  invalid: () => new Problem('key_invalid', 'The key in the header x-api-key is unknown or misspelt.'),
  expired: () =>
    new Problem('key_expired', 'Keys last six months; an Administrator of the account can make a new one.'),
}

/** A hook that lets nobody past without a valid key, and notes whose it is. */
export function authenticate({ store, now }: Deps) {
  return async (request: FastifyRequest, _reply: FastifyReply): Promise<void> => {
    const header = request.headers['x-api-key']
    const verdict = await verifyKey(store, Array.isArray(header) ? header.join(',') : header, now())
    if ('refusal' in verdict) throw refusals[verdict.refusal]()
    request.account = verdict.account
  }
}

/** The account of a request that has been let past. */
export function accountOf(request: FastifyRequest): Account {
  if (!request.account) throw new Error('a route without authentication asked for the account')
  return request.account
}
