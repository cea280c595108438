import type { FastifyReply, FastifyRequest } from 'fastify'
import { resumeSession, sessionMsMax, type Session } from '../../access/sessions.ts'
import { Problem } from '../../contract/problems.ts'
import type { Services } from '../services.ts'

declare module 'fastify' {
  interface FastifyRequest {
    session: Session | undefined
  }
}

/** Hooks that require a session. Rights are checked again when the body has arrived, which a slow sender can delay. */
export function requireSession({ store, countRefused, now }: Services) {
  const onRequest = async (request: FastifyRequest): Promise<void> => {
    request.notes.enter('auth')
    const token = readSessionCookie(request)
    request.session = token === undefined ? undefined : await resumeSession(store, token, now())
    request.account = request.session?.account
    request.notes.leave()
    if (request.session) return
    countRefused(request)
    throw new Problem('sign_in_needed', 'Sign in first. Sessions end after twelve hours without use.')
  }
  const preHandler = async (request: FastifyRequest): Promise<void> => {
    if (!isRead(request)) await onRequest(request)
  }
  return { onRequest, preHandler }
}

async function requireAdministrator(request: FastifyRequest): Promise<void> {
  if (sessionOf(request).person.role === 'administrator') return
  throw new Problem('administrators_only', 'Ask an Administrator of your account.')
}

/** Hooks of routes that only Administrators may use. */
export const forAdministrators = { onRequest: requireAdministrator, preHandler: requireAdministrator }

/** The session of a request that `requireSession` has passed. */
export function sessionOf(request: FastifyRequest): Session {
  if (!request.session) throw new Error('a route without sign-in asked for the session')
  return request.session
}

/** The author of a change, as the audit trail records it, and the account that it is made in. */
export function authorOf(request: FastifyRequest): { readonly accountId: string; readonly actor: string } {
  const { account, person } = sessionOf(request)
  return { accountId: account.id, actor: person.email }
}

export const isRead = ({ method }: FastifyRequest): boolean => method === 'GET' || method === 'HEAD'

/**
 * A hook that refuses changes which another site's page makes with a person's cookie. Current browsers send
 * Sec-Fetch-Site, older ones Origin. A request with neither does not come from a browser.
 */
export async function refuseOtherSites(request: FastifyRequest): Promise<void> {
  if (isRead(request)) return
  const { 'sec-fetch-site': site, origin } = request.headers
  const isOwn = site === undefined ? isOwnOrigin(origin, request.host) : site === 'same-origin' || site === 'none'
  if (!isOwn) throw new Problem('other_site', 'Changes can only be made from the console itself.')
}

/** Parses both, because a browser omits the default port. */
function isOwnOrigin(origin: string | undefined, host: string): boolean {
  if (origin === undefined) return true
  const from = URL.parse(origin)
  return from !== null && from.host === URL.parse(`${from.protocol}//${host}`)?.host
}

/** With the prefix, browsers accept the cookie only from this host and over TLS. */
const cookieName = (request: FastifyRequest): string => (isSecure(request) ? '__Host-adcube' : 'adcube')

const isSecure = (request: FastifyRequest): boolean => request.protocol === 'https'

const attributes = (request: FastifyRequest) =>
  ({ httpOnly: true, sameSite: 'strict', secure: isSecure(request), path: '/' }) as const

export const readSessionCookie = (request: FastifyRequest): string | undefined => request.cookies[cookieName(request)]

export function setSessionCookie(request: FastifyRequest, reply: FastifyReply, token: string): void {
  reply.setCookie(cookieName(request), token, { ...attributes(request), maxAge: sessionMsMax / 1000 })
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply): void {
  reply.clearCookie(cookieName(request), attributes(request))
}
