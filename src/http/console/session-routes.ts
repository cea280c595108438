import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { acceptInvitation } from '../../access/accept-invitation.ts'
import { changeOwnPassword } from '../../access/change-password.ts'
import { endSession, endSessionsOf } from '../../access/sessions.ts'
import { SignIn, type SignInRefusal } from '../../access/sign-in.ts'
import type { SessionAnswer } from '../../contract/console.ts'
import { normalizeEmail } from '../../contract/forms.ts'
import { Problem } from '../../contract/problems.ts'
import { accountOf } from '../edge/authenticate.ts'
import { originOfRequest } from '../edge/origin-of-request.ts'
import { readParameters } from '../edge/parameters.ts'
import { retryAfter } from '../edge/rate-limits.ts'
import type { Services } from '../services.ts'
import { bodies } from './bodies.ts'
import {
  clearSessionCookie,
  enterAccount,
  membershipOf,
  readNamedAccount,
  readSession,
  readSessionCookie,
  requireSession,
  sessionOf,
  setSessionCookie,
} from './session.ts'
import { accountShape, personShape } from './shapes.ts'

/** Sign-in, sign-out, passwords and invitations: what concerns a person, and no account. */
export async function sessionRoutes(app: FastifyInstance, services: Services): Promise<void> {
  const { store, countRefused, now } = services
  const passwords = new SignIn(store)
  const signedIn = requireSession(services)

  /** The session in an account, by default the first one. */
  const answerSession = async (request: FastifyRequest, accountId?: string): Promise<SessionAnswer> => {
    const { memberships } = sessionOf(request)
    await enterAccount(services, request, accountId ?? memberships[0]!.accountId)
    const accounts = await listNames(
      store,
      memberships.map(({ accountId }) => accountId),
    )
    return { person: personShape(membershipOf(request)), account: accountShape(accountOf(request)), accounts }
  }

  app.post('/session', { schema: { body: bodies.signIn } }, async (request, reply) => {
    const { email, password } = request.body as Static<typeof bodies.signIn>
    const attempt = { email: normalizeEmail(email), password, address: originOfRequest(request) }
    const { token, ...session } = requireSuccess(await passwords.signIn(attempt, now()))
    setSessionCookie(request, reply, token)
    request.session = session
    return answerSession(request)
  })

  /** Without a cookie the answer is 204, which makes the page show the sign-in form. */
  const unlessUnknown = async (request: FastifyRequest): Promise<void> => {
    if (readSessionCookie(request) !== undefined) await signedIn.onRequest(request)
  }
  app.get('/session', { onRequest: unlessUnknown }, async (request, reply) => {
    readParameters(request, [])
    return request.session ? answerSession(request, readNamedAccount(request)) : reply.status(204).send()
  })

  app.delete('/session', signedIn, async (request, reply) => {
    await endSession(store, readSessionCookie(request) ?? '')
    return signOut(request, reply)
  })

  /** Signs out everywhere, for a browser that was left open elsewhere. */
  app.delete('/sessions', signedIn, async (request, reply) => {
    await endSessionsOf(store, sessionOf(request).personId)
    return signOut(request, reply)
  })

  app.post('/password', { ...signedIn, schema: { body: bodies.changePassword } }, async (request, reply) => {
    const { current_password: current, new_password: password } = request.body as Static<typeof bodies.changePassword>
    const person = sessionOf(request)
    const attempt = { email: person.email, password: current, address: originOfRequest(request) }
    const { passwordHash: replaced } = requireSuccess(await passwords.check(attempt, now()))
    const token = await changeOwnPassword(store, { person, password, replaced, now: now() })
    if (token === undefined) throw new Problem('sign_in_wrong', 'The password was changed in the meantime.')
    setSessionCookie(request, reply, token)
    return reply.status(204).send()
  })

  app.post('/invitation', { schema: { body: bodies.acceptInvitation } }, async (request, reply) => {
    const acceptance = request.body as Static<typeof bodies.acceptInvitation>
    const session = await readSession(store, request, now())
    const address = originOfRequest(request)
    const outcome = await acceptInvitation(store, passwords, { ...acceptance, session, address, now: now() })
    if (!('refusal' in outcome)) return reply.status(201).send({ ...personShape(outcome), account: outcome.accountId })
    if (outcome.refusal === 'slow_down') requireSuccess(outcome)
    countRefused(request)
    // The same answer for all of these.
    throw new Problem(
      'invitation_invalid',
      'It is unknown, already used or older than seven days, or its address already has another password.',
    )
  })
}

async function listNames(store: Services['store'], ids: readonly string[]): Promise<SessionAnswer['accounts']> {
  return store
    .selectFrom('accounts')
    .select(['id', 'name'])
    .where('id', 'in', ids)
    .orderBy('name')
    .orderBy('id')
    .execute()
}

function requireSuccess<Success extends object>(outcome: Success | SignInRefusal): Success {
  if (!('refusal' in outcome)) return outcome
  if (outcome.refusal === 'wrong') throw new Problem('sign_in_wrong', 'Check both and try again.')
  throw new Problem('too_many_attempts', 'Too many sign-in attempts.', { headers: retryAfter(outcome.waitMs) })
}

function signOut(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  clearSessionCookie(request, reply)
  return reply.status(204).send()
}
