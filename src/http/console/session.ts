import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Membership } from '../../access/memberships.ts'
import { resumeSession, sessionMsMax, type Session } from '../../access/sessions.ts'
import { accountHeader } from '../../contract/account-header.ts'
import { Problem } from '../../contract/problems.ts'
import { findAccount } from '../../store/accounts.ts'
import type { Store } from '../../store/open-store.ts'
import type { Services } from '../services.ts'

declare module 'fastify' {
  interface FastifyRequest {
    session: Session | undefined
    /** The person's membership in the account of the request. */
    membership: Membership | undefined
  }
}

/** Hooks that require a session. Rights are checked again when the body has arrived, which a slow sender can delay. */
export function requireSession({ store, countRefused, now }: Services) {
  const onRequest = async (request: FastifyRequest): Promise<void> => {
    request.notes.enter('auth')
    request.session = await readSession(store, request, now())
    request.notes.leave()
    if (request.session) return
    countRefused(request)
    throw new Problem('sign_in_needed', 'Sign in first. Sessions end after twelve hours without use.')
  }
  return { onRequest, preHandler: forChanges(onRequest) }
}

/** Hooks that require a session whose person belongs to the account that the request names. */
export function requireAccount(services: Services) {
  const signedIn = requireSession(services)
  const onRequest = async (request: FastifyRequest): Promise<void> => {
    await signedIn.onRequest(request)
    await enterAccount(services, request, readAccountId(request))
  }
  return { onRequest, preHandler: forChanges(onRequest) }
}

/** Sets the account of a request, if the person belongs to it. */
export async function enterAccount({ store }: Services, request: FastifyRequest, accountId: string): Promise<void> {
  request.membership = sessionOf(request).memberships.find((each) => each.accountId === accountId)
  request.account = request.membership && (await findAccount(store, accountId))
  if (request.account) return
  // The same for an account that does not exist.
  throw new Problem('account_unknown', 'It does not exist, or you are not one of its people.')
}

/** The account that a request names. A person with one account need not name it. */
function readAccountId(request: FastifyRequest): string {
  const { memberships } = sessionOf(request)
  const named = readNamedAccount(request)
  if (named !== undefined) return named
  if (memberships.length === 1) return memberships[0]!.accountId
  throw new Problem('account_needed', `You have several accounts: name one in the header ${accountHeader}.`)
}

export function readNamedAccount(request: FastifyRequest): string | undefined {
  const header = request.headers[accountHeader]
  return Array.isArray(header) ? header.join(',') : header
}

export async function readSession(store: Store, request: FastifyRequest, now: number): Promise<Session | undefined> {
  const token = readSessionCookie(request)
  return token === undefined ? undefined : resumeSession(store, token, now)
}

const forChanges =
  (hook: (request: FastifyRequest) => Promise<void>) =>
  async (request: FastifyRequest): Promise<void> => {
    if (!isRead(request)) await hook(request)
  }

async function requireAdministrator(request: FastifyRequest): Promise<void> {
  if (membershipOf(request).role === 'administrator') return
  throw new Problem('administrators_only', 'Ask an Administrator of your account.')
}

/** Hooks of routes that only Administrators may use. */
export const forAdministrators = { onRequest: requireAdministrator, preHandler: requireAdministrator }

/** The session of a request that `requireSession` has passed. */
export function sessionOf(request: FastifyRequest): Session {
  if (!request.session) throw new Error('a route without sign-in asked for the session')
  return request.session
}

/** The membership of a request that `requireAccount` has passed. */
export function membershipOf(request: FastifyRequest): Membership {
  if (!request.membership) throw new Error('a route without an account asked for the membership')
  return request.membership
}

/** The author of a change, as the audit trail records it, and the account that it is made in. */
export function authorOf(request: FastifyRequest): { readonly accountId: string; readonly actor: string } {
  const { accountId, email } = membershipOf(request)
  return { accountId, actor: email }
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
