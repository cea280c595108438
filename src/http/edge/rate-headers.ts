import type { Standing } from '../../access/rate-decision.ts'

/** draft-ietf-httpapi-ratelimit-headers: the policies that apply, and `r` requests that are left for `t` seconds. */
export const rateHeaders = (standings: readonly Standing[]): Record<string, string> =>
  standings.length === 0
    ? {}
    : {
        'ratelimit-policy': standings
          .map(({ name, quota, windowMs }) => `"${name}";q=${quota};w=${windowMs / 1000}`)
          .join(', '),
        ratelimit: standings
          .map(({ name, remaining, resetMs }) => `"${name}";r=${remaining};t=${toSeconds(resetMs)}`)
          .join(', '),
      }

export const retryAfter = (waitMs: number): Record<string, string> => ({ 'retry-after': String(toSeconds(waitMs)) })

/** Whole seconds, rounded up: who waits that long has waited long enough. */
const toSeconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000))
