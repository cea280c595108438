import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { RequestNotes, toTenths } from './request-notes.ts'

declare module 'fastify' {
  interface FastifyRequest {
    notes: RequestNotes
  }
}

/** A request that is over. Its route is a pattern of ours, never the address that was sent. */
export type RequestRecord = {
  readonly method: string
  /** `none` where no route fits. */
  readonly route: string
  /** 499 where the caller hung up before the answer was complete. */
  readonly status: number
  readonly ms: number
  readonly account: string | undefined
  readonly key: string | undefined
  readonly person: string | undefined
  readonly rows: number | undefined
  /** Sent on the connection, headers included. */
  readonly bytes: number | undefined
  readonly code: string | undefined
  readonly rule: string | undefined
}

export type Recorder = (request: FastifyRequest, reply: FastifyReply) => void

const hungUp = 499
/** Asked every few seconds, and of interest to nobody. */
const probes = new Set(['/healthz', '/readyz', '/metrics'])

/** Begins to note a request, and when it is over writes one line to the log and tells who wants to know. */
export function makeRecorder(onRequestEnd: ((record: RequestRecord) => void) | undefined): Recorder {
  return (request, reply) => {
    request.notes = new RequestNotes()
    const { socket } = request.raw
    const sentBefore = socket.bytesWritten
    let isComplete = false
    reply.raw.once('finish', () => (isComplete = true))
    // Comes in every case, also where the caller is gone before there is an answer.
    reply.raw.once('close', () => {
      const { notes } = request
      notes.leave()
      const record: RequestRecord = {
        method: request.method,
        route: request.is404 ? 'none' : (request.routeOptions.url ?? 'none'),
        status: isComplete ? reply.raw.statusCode : hungUp,
        ms: toTenths(performance.now() - notes.startedAt),
        account: notes.account ?? request.account?.id,
        key: notes.key,
        person: request.session?.person.id,
        rows: notes.rows,
        bytes: socket.bytesWritten - sentBefore || undefined,
        code: notes.code,
        rule: notes.rule,
      }
      request.log[probes.has(record.route) ? 'debug' : 'info']({ ...record, ...notes.spent() }, 'request')
      onRequestEnd?.(record)
    })
  }
}

/** Records every request that gets as far as the hooks. To be called before any other hook is added. */
export function recordRequests(app: FastifyInstance, record: Recorder): void {
  app.decorateRequest('notes')
  app.addHook('onRequest', (request, reply, done) => {
    record(request, reply)
    done()
  })
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
    if (length !== undefined || encoding !== undefined) request.notes.enter('body')
    done()
  })
  app.addHook('preValidation', (request, _reply, done) => {
    request.notes.leave()
    done()
  })
  app.addHook('onSend', (request, _reply, _payload, done) => {
    request.notes.leave()
    done()
  })
}
