import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Allowance, Throttle } from '../../access/throttle.ts'
import type { Standing } from '../../access/rate-decision.ts'
import { rulesFor } from '../../access/rate-rules.ts'
import { Problem, type ProblemCode } from '../../contract/problems.ts'
import type { Services } from '../services.ts'
import { accountOf } from './authenticate.ts'

/** A hook that counts the request against all rules that match it, also where the path is unknown. */
export function limitRate({ rateLimiter, now }: Services) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const rules = rulesFor(request.method, pathOf(request))
    request.notes.enter('limits')
    const { standings, refusal } = await rateLimiter.take(accountOf(request), rules, now)
    request.notes.leave()
    reply.headers(rateHeaders(standings))
    if (!refusal) return
    const { rule, retryMs } = refusal
    throw new Problem(
      'rate_limited',
      `${rules.find(({ name }) => name === rule.name)?.description}: at most ${rule.quota} in ${rule.windowMs / 1000} seconds ("${rule.name}").`,
      { headers: retryAfter(retryMs), rule: rule.name },
    )
  }
}

/** The path of the route, which many spellings of an address lead to; the decoded address if there is no route. */
function pathOf(request: FastifyRequest): string {
  if (!request.is404 && request.routeOptions.url !== undefined) return request.routeOptions.url
  const path = request.url.replace(/^https?:\/\/[^/]*/i, '').split(/[?#]/, 1)[0] ?? ''
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** draft-ietf-httpapi-ratelimit-headers: the policies that apply, and `r` requests that are left for `t` seconds. */
function rateHeaders(standings: readonly Standing[]): Record<string, string> {
  if (standings.length === 0) return {}
  const policies = standings.map(({ name, quota, windowMs }) => `"${name}";q=${quota};w=${windowMs / 1000}`)
  const limits = standings.map(({ name, remaining, resetMs }) => `"${name}";r=${remaining};t=${toSeconds(resetMs)}`)
  return { 'ratelimit-policy': policies.join(', '), ratelimit: limits.join(', ') }
}

export const retryAfter = (waitMs: number): Record<string, string> => ({ 'retry-after': String(toSeconds(waitMs)) })

/** Rounded up, so that a request after so many seconds passes. */
const toSeconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000))

type Limit = Allowance & { readonly code: ProblemCode; readonly detail: string }

/** Requests that are refused, by address. Enough for a script whose key has expired, or for a person who mistypes. */
export const refusedLimit: Limit = {
  burst: 60,
  refillMs: 1_000,
  code: 'too_many_attempts',
  detail: 'Too many requests without a valid key came from this IP address.',
}

/** Changes in the console, by account. */
export const changesLimit: Limit = {
  burst: 60,
  refillMs: 1_000,
  code: 'too_many_changes',
  detail: 'This account was changed too often.',
}

/** Queries in the console, by account. A page of charts asks a dozen at once, for every person who opens it. */
export const queriesLimit: Limit = {
  burst: 60,
  refillMs: 250,
  code: 'too_many_queries',
  detail: 'This account runs too many queries.',
}

/** Counts one request under a name, or throws if there were too many. */
export function makeThrottle({ code, detail, ...allowance }: Limit, now: () => number): (name: string) => void {
  const throttle = new Throttle(allowance)
  return (name) => {
    const waitMs = throttle.take(name, now())
    if (waitMs > 0) throw new Problem(code, detail, { headers: retryAfter(waitMs) })
  }
}
