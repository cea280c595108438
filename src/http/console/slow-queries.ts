import type { FastifyRequest } from 'fastify'
import { Throttle } from '../../access/throttle.ts'
import type { Services } from '../services.ts'
import { Problem } from '../../contract/problems.ts'
import { retryAfter } from '../edge/rate-headers.ts'
import { sessionOf } from './demand-session.ts'

/** A page of charts asks a dozen queries at once, for every person who opens it; nobody keeps on asking so many. */
const queriesAllowance = { burst: 60, refillMs: 250 }

/** A hook that lets an account query only so often. What its keys may ask is counted elsewhere, and apart. */
export function slowQueries({ now }: Services) {
  const queries = new Throttle(queriesAllowance)
  return async (request: FastifyRequest): Promise<void> => {
    const waitMs = queries.take(sessionOf(request).account.id, now())
    if (waitMs === 0) return
    throw new Problem('too_many_queries', 'This account runs too many queries.', {
      headers: retryAfter(waitMs),
    })
  }
}
