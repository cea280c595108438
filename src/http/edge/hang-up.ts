import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** Aborted when the caller is gone before the answer is complete. */
    hangUp: AbortSignal
  }
}

/**
 * The first hook of every request. Fastify's own `request.signal` does not do: it is aborted as soon as a body has been
 * read, because the request closes then.
 */
export function noticeHangUp(request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void {
  const gone = new AbortController()
  request.hangUp = gone.signal
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort()
  })
  done()
}
