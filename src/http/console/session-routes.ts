import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { acceptInvitation, changeOwnPassword } from '../../access/change-password.ts'
import { normalizeEmail } from '../../contract/forms.ts'
import { endSession, endSessionsOf, type Session } from '../../access/sessions.ts'
import { SignIn, type SignInRefusal } from '../../access/sign-in.ts'
import type { Services } from '../services.ts'
import { readParameters } from '../edge/parameters.ts'
import { Problem } from '../../contract/problems.ts'
import { originOfRequest } from '../edge/origin-of-request.ts'
import { retryAfter } from '../edge/rate-limits.ts'
import { bodies } from './bodies.ts'
import { clearSessionCookie, readSessionCookie, requireSession, sessionOf, setSessionCookie } from './session.ts'
import { accountShape, personShape } from './shapes.ts'

const sessionShape = ({ person, account }: Session) => ({ person: personShape(person), account: accountShape(account) })

/** Sign-in, sign-out, passwords and invitations. */
export async function sessionRoutes(app: FastifyInstance, services: Services): Promise<void> {
  const { store, countRefused, now } = services
  const passwords = new SignIn(store)
  const signedIn = requireSession(services)

  app.post('/session', { schema: { body: bodies.signIn } }, async (request, reply) => {
    const { email, password } = request.body as Static<typeof bodies.signIn>
    const attempt = { email: normalizeEmail(email), password, address: originOfRequest(request) }
    const { token, ...session } = requireSuccess(await passwords.signIn(attempt, now()))
    setSessionCookie(request, reply, token)
    return sessionShape(session)
  })

  /** Without a cookie the answer is 204, which makes the page show the sign-in form. */
  const unlessUnknown = async (request: FastifyRequest): Promise<void> => {
    if (readSessionCookie(request) !== undefined) await signedIn.onRequest(request)
  }
  app.get('/session', { onRequest: unlessUnknown }, async (request, reply) => {
    readParameters(request, [])
    return request.session ? sessionShape(request.session) : reply.status(204).send()
  })

  app.delete('/session', signedIn, async (request, reply) => {
    await endSession(store, readSessionCookie(request) ?? '')
    return signOut(request, reply)
  })

  /** Signs out everywhere, for a browser that was left open elsewhere. */
  app.delete('/sessions', signedIn, async (request, reply) => {
    await endSessionsOf(store, sessionOf(request).person.id)
    return signOut(request, reply)
  })

  app.post('/password', { ...signedIn, schema: { body: bodies.changePassword } }, async (request, reply) => {
    const { current_password: current, new_password: password } = request.body as Static<typeof bodies.changePassword>
    const { person } = sessionOf(request)
    const attempt = { email: person.email, password: current, address: originOfRequest(request) }
    const { passwordHash: replaced } = requireSuccess(await passwords.check(attempt, now()))
    const token = await changeOwnPassword(store, { person, password, replaced, now: now() })
    if (token === undefined) throw new Problem('sign_in_wrong', 'The password was changed in the meantime.')
    setSessionCookie(request, reply, token)
    return reply.status(204).send()
  })

  app.post('/invitation', { schema: { body: bodies.acceptInvitation } }, async (request, reply) => {
    const { token, password } = request.body as Static<typeof bodies.acceptInvitation>
    const person = await acceptInvitation(store, { token, password, now: now() })
    if (person) return reply.status(201).send(personShape(person))
    countRefused(request)
    throw new Problem('invitation_invalid', 'It is unknown, already used or older than seven days. Ask for a new one.')
  })
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
