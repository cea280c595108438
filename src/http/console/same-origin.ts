import type { FastifyRequest } from 'fastify'
import { Problem } from '../../contract/problems.ts'

/**
 * A hook that refuses changes which another site's page makes with a person's cookie. Browsers say where a request
 * comes from: all current ones in Sec-Fetch-Site, older ones in Origin. What says neither is no browser, and has no
 * cookie that it was not given on purpose.
 */
export async function refuseOtherSites(request: FastifyRequest): Promise<void> {
  if (request.method === 'GET' || request.method === 'HEAD') return
  const { 'sec-fetch-site': site, origin } = request.headers
  const isOwn = site === undefined ? isOwnOrigin(origin, request.host) : site === 'same-origin' || site === 'none'
  if (!isOwn) throw new Problem('other_site', 'Changes can only be made from the console itself.')
}

/** Read alike, because a browser leaves a port out that goes without saying. */
function isOwnOrigin(origin: string | undefined, host: string): boolean {
  if (origin === undefined) return true
  const from = URL.parse(origin)
  return from !== null && from.host === URL.parse(`${from.protocol}//${host}`)?.host
}
