import type { FastifyReply, FastifyRequest } from 'fastify'
import { sessionMsMax } from '../../access/sessions.ts'

/** The prefix makes browsers refuse the cookie from anybody but this very host over TLS. */
const nameFor = (request: FastifyRequest): string => (isSecure(request) ? '__Host-adcube' : 'adcube')

const isSecure = (request: FastifyRequest): boolean => request.protocol === 'https'

const attributes = (request: FastifyRequest) =>
  ({ httpOnly: true, sameSite: 'strict', secure: isSecure(request), path: '/' }) as const

export const readSessionCookie = (request: FastifyRequest): string | undefined => request.cookies[nameFor(request)]

export function setSessionCookie(request: FastifyRequest, reply: FastifyReply, token: string): void {
  reply.setCookie(nameFor(request), token, { ...attributes(request), maxAge: sessionMsMax / 1000 })
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply): void {
  reply.clearCookie(nameFor(request), attributes(request))
}
