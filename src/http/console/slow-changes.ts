import type { FastifyRequest } from 'fastify'
import { Throttle } from '../../access/throttle.ts'
import type { Services } from '../services.ts'
import { Problem } from '../../contract/problems.ts'
import { retryAfter } from '../edge/rate-headers.ts'
import { sessionOf } from './demand-session.ts'

/** A person needs a handful. */
const changesAllowance = { burst: 60, refillMs: 1_000 }

/** A hook that lets an account change itself only so often. */
export function slowChanges({ now }: Services) {
  const changes = new Throttle(changesAllowance)
  return async (request: FastifyRequest): Promise<void> => {
    if (request.method === 'GET' || request.method === 'HEAD') return
    const waitMs = changes.take(sessionOf(request).account.id, now())
    if (waitMs === 0) return
    throw new Problem('too_many_changes', 'This account was changed too often.', {
      headers: retryAfter(waitMs),
    })
  }
}
