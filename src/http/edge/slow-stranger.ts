import type { FastifyRequest } from 'fastify'
import { originOf } from '../../access/origin.ts'
import type { Throttle } from '../../access/throttle.ts'
import { addressOf } from './address.ts'
import { Problem } from '../../contract/problems.ts'
import { retryAfter } from './rate-headers.ts'

/** Counts a request that is refused anyway; those from an address that has had many are told to wait. */
export function slowStranger(strangers: Throttle, request: FastifyRequest, now: number): void {
  const waitMs = strangers.take(originOf(addressOf(request)), now)
  if (waitMs === 0) return
  throw new Problem('too_many_attempts', 'Too many requests without a valid key came from this IP address.', {
    headers: retryAfter(waitMs),
  })
}
