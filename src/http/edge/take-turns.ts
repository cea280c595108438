import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'

/**
 * A hook that lets a few requests in with each turn of the event loop. Of hundreds that arrive at once, handled all in one
 * turn, probes and everybody else would wait for the last of them.
 */
export function takeTurns(requestsATurn: number) {
  const waiting: HookHandlerDoneFunction[] = []
  const letIn = (): void => {
    for (const enter of waiting.splice(0, requestsATurn)) enter()
    if (waiting.length > 0) setImmediate(letIn)
  }
  return (_request: FastifyRequest, _reply: FastifyReply, enter: HookHandlerDoneFunction): void => {
    if (waiting.push(enter) === 1) setImmediate(letIn)
  }
}
