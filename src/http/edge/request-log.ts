import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    notes: RequestNotes
    /** Aborted when the client disconnects before the answer is complete. */
    hangUp: AbortSignal
  }
}

/** Parts of a request's time. They follow each other; the rest belongs to none of them. */
type Part = 'auth' | 'limits' | 'body' | 'store' | 'wait' | 'engine'

/** Details of a request for its line in the log and for the metrics. */
class RequestNotes {
  readonly startedAt = performance.now()
  account: string | undefined
  /** The id of the API key, never the key. */
  key: string | undefined
  /** Rows of facts in the answer. */
  rows: number | undefined
  /** The code of the problem that was answered. */
  code: string | undefined
  /** The rate limit that was reached. */
  rule: string | undefined
  readonly #ms = new Map<Part, number>()
  #part: Part | undefined
  #since = 0

  /** Ends the current part and begins another. */
  enter(part: Part): void {
    this.leave()
    this.#part = part
    this.#since = performance.now()
  }

  leave(): void {
    if (this.#part === undefined) return
    this.#ms.set(this.#part, (this.#ms.get(this.#part) ?? 0) + performance.now() - this.#since)
    this.#part = undefined
  }

  /** Milliseconds by part, under their names in the log. */
  spent(): Record<string, number> {
    return Object.fromEntries([...this.#ms].map(([part, ms]) => [`ms_${part}`, toTenths(ms)]))
  }
}

const toTenths = (ms: number): number => Math.round(ms * 10) / 10

/** A request that has ended. */
export type RequestRecord = Readonly<Pick<RequestNotes, 'account' | 'key' | 'rows' | 'code' | 'rule'>> & {
  readonly method: string
  /** The pattern of the route, never the address that was sent; `none` if no route matches. */
  readonly route: string
  /** 499 if the client disconnected before the answer was complete. */
  readonly status: number
  readonly ms: number
  readonly person: string | undefined
  /** Sent on the connection, headers included. */
  readonly bytes: number | undefined
}

type Recorder = (request: FastifyRequest, reply: FastifyReply) => void

const disconnected = 499
/** Requests that come every few seconds, logged at level debug. */
const probes = new Set(['/healthz', '/readyz', '/metrics'])

/** Makes a function that follows a request from its beginning and, when it has ended, logs and reports it. */
export function makeRecorder(onRequestEnd: ((record: RequestRecord) => void) | undefined): Recorder {
  return (request, reply) => {
    const gone = new AbortController()
    request.notes = new RequestNotes()
    // Fastify's own `request.signal` is aborted as soon as a body has been read, because the request closes then.
    request.hangUp = gone.signal
    const { socket } = request.raw
    const sentBefore = socket.bytesWritten
    let isComplete = false
    reply.raw.once('finish', () => (isComplete = true))
    // 'close' always comes, also if the client is gone before there is an answer.
    reply.raw.once('close', () => {
      const { notes } = request
      notes.leave()
      const record: RequestRecord = {
        method: request.method,
        route: request.is404 ? 'none' : (request.routeOptions.url ?? 'none'),
        status: isComplete ? reply.raw.statusCode : disconnected,
        ms: toTenths(performance.now() - notes.startedAt),
        account: notes.account ?? request.account?.id,
        key: notes.key,
        person: request.membership?.id ?? request.session?.personId,
        rows: notes.rows,
        bytes: socket.bytesWritten - sentBefore || undefined,
        code: notes.code,
        rule: notes.rule,
      }
      request.log[probes.has(record.route) ? 'debug' : 'info']({ ...record, ...notes.spent() }, 'request')
      onRequestEnd?.(record)
      if (!isComplete) gone.abort()
    })
  }
}

/** Records every request that reaches the hooks. Must be called before any other hook is added. */
export function recordRequests(app: FastifyInstance, record: Recorder): void {
  app.decorateRequest('notes')
  app.decorateRequest('hangUp')
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
