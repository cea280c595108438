import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'

/**
 * A hook that passes a few requests in each turn of the event loop. If hundreds that arrive at once were handled in one
 * turn, health checks and all other requests would wait for the last of them.
 */
export function paceRequests(requestsPerTurn: number) {
  const waiting: HookHandlerDoneFunction[] = []
  const pass = (): void => {
    for (const done of waiting.splice(0, requestsPerTurn)) done()
    if (waiting.length > 0) setImmediate(pass)
  }
  return (_request: FastifyRequest, _reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    if (waiting.push(done) === 1) setImmediate(pass)
  }
}
