import type { FastifyReply, FastifyRequest } from 'fastify'
import { rulesFor } from '../../access/rate-rules.ts'
import type { Services } from '../services.ts'
import { accountOf } from './authenticate.ts'
import { Problem } from '../../contract/problems.ts'
import { rateHeaders, retryAfter } from './rate-headers.ts'

/** A hook that counts the request against every rule that fits it, known path or not. */
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

/** A route's own path where there is one, because many spellings of an address lead to it; otherwise the decoded address. */
function pathOf(request: FastifyRequest): string {
  if (!request.is404 && request.routeOptions.url !== undefined) return request.routeOptions.url
  const path = request.url.replace(/^https?:\/\/[^/]*/i, '').split(/[?#]/, 1)[0] ?? ''
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
