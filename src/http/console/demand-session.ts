import type { FastifyRequest } from 'fastify'
import { resumeSession, type Session } from '../../access/sessions.ts'
import type { Services } from '../services.ts'
import { Problem } from '../../contract/problems.ts'
import { slowStranger } from '../edge/slow-stranger.ts'
import { readSessionCookie } from './session-cookie.ts'

declare module 'fastify' {
  interface FastifyRequest {
    session: Session | undefined
  }
}

/** A hook that lets nobody past who is not signed in. */
export function demandSession({ store, strangers, now }: Services) {
  return async (request: FastifyRequest): Promise<void> => {
    request.notes.enter('auth')
    const token = readSessionCookie(request)
    request.session = token === undefined ? undefined : await resumeSession(store, token, now())
    request.account = request.session?.account
    request.notes.leave()
    if (request.session) return
    slowStranger(strangers, request, now())
    throw new Problem('sign_in_needed', 'Sign in first. Sessions end after twelve hours without use.')
  }
}

/** A hook for when the body has arrived, which a slow sender can put off: rights may be gone by then. */
export function demandSessionStill(services: Services) {
  const demand = demandSession(services)
  return async (request: FastifyRequest): Promise<void> => {
    // What has no body has just been let past.
    if (request.method !== 'GET' && request.method !== 'HEAD') await demand(request)
  }
}

/** A hook for whatever changes the account. */
export async function demandAdministrator(request: FastifyRequest): Promise<void> {
  if (sessionOf(request).person.role === 'administrator') return
  throw new Problem('administrators_only', 'Ask an Administrator of your account.')
}

/** The session of a request that has been let past. */
export function sessionOf(request: FastifyRequest): Session {
  if (!request.session) throw new Error('a route without sign-in asked for the session')
  return request.session
}
