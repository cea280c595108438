import type { FastifyInstance } from 'fastify'

/** Origins of web pages, such as https://app.example.com. `*` stands for all. */
export type AllowedOrigins = readonly string[]

const allowedMethods = 'GET, HEAD, POST, DELETE'
const allowedHeaders = 'x-api-key, content-type, idempotency-key, range, if-range, if-none-match'
const exposedHeaders =
  'retry-after, ratelimit, ratelimit-policy, etag, accept-ranges, content-range, content-disposition, x-request-id, allow'
/** Browsers ask at most every two hours in any case. */
const preflightSeconds = 7_200

/**
 * Lets pages of other origins read the answers of a scope. Must be called before the hooks that check keys and rates,
 * because a preflight request has no key. Cookies are never allowed.
 */
export function allowOrigins(scope: FastifyInstance, origins: AllowedOrigins = []): void {
  if (origins.length === 0) return
  const isOpen = origins.includes('*')
  scope.addHook('onRequest', (request, reply, done) => {
    const { origin, 'access-control-request-method': asked } = request.headers
    // Caches must not give the answer for one origin to another.
    if (!isOpen) reply.header('vary', 'origin')
    if (origin === undefined || !(isOpen || origins.includes(origin))) return done()
    reply.headers({
      'access-control-allow-origin': isOpen ? '*' : origin,
      'access-control-expose-headers': exposedHeaders,
    })
    if (request.method !== 'OPTIONS' || asked === undefined) return done()
    reply
      .status(204)
      .headers({
        'access-control-allow-methods': allowedMethods,
        'access-control-allow-headers': allowedHeaders,
        'access-control-max-age': preflightSeconds,
      })
      .send()
  })
}
