import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { originOf } from '../../access/throttle.ts'
import { Problem } from '../../contract/problems.ts'

export const defaultConnectionLimits = {
  /** For the headers to arrive, from the beginning of the connection, so for the TLS handshake too. */
  headersMs: 15_000,
  /** For the whole request to arrive. */
  requestMs: 30_000,
  /** For the client to take the next byte of an answer. An interrupted download can be resumed. */
  idleMs: 60_000,
  /** Between requests. Longer than the 60 s of most proxies, which would otherwise send into a closed connection. */
  keepAliveMs: 72_000,
  /** How often the server looks for requests that have not arrived in time. */
  checkMs: 5_000,
  /** An idle connection takes about 20 KB. */
  connectionsMax: 20_000,
  /** Of one IP address. Without a limit, one client could take all connections. */
  connectionsPerAddressMax: 256,
}

export type ConnectionLimits = Readonly<typeof defaultConnectionLimits>

type Tls = { readonly cert: Buffer; readonly key: Buffer }

/** Options of a Fastify server, the same limits with TLS and without. */
export function serverOptions({ headersMs, requestMs, keepAliveMs, checkMs }: ConnectionLimits, tls: Tls | undefined) {
  // `followExchanges` answers requests without Host with a problem.
  const server = { headersTimeout: headersMs, connectionsCheckingInterval: checkMs, requireHostHeader: false }
  return {
    requestTimeout: requestMs,
    keepAliveTimeout: keepAliveMs,
    ...(tls ? { https: { ...tls, ...server, handshakeTimeout: headersMs } } : { http: server }),
  }
}

/** Refuses connections of an address that has too many already. */
export function limitConnectionsByAddress({ server, log }: FastifyInstance, most: number): void {
  const counts = new Map<string, number>()
  let quietUntil = 0
  server.on('connection', (socket: Socket) => {
    const origin = originOf(socket.remoteAddress ?? 'gone')
    const count = counts.get(origin) ?? 0
    if (count >= most) {
      socket.destroy()
      if (performance.now() < quietUntil) return
      quietUntil = performance.now() + 60_000
      log.warn({ address: origin, connections: count }, 'too many connections from one address; refused')
      return
    }
    counts.set(origin, count + 1)
    socket.once('close', () => {
      const left = (counts.get(origin) ?? 1) - 1
      if (left === 0) counts.delete(origin)
      else counts.set(origin, left)
    })
  })
}

type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse }

/** The number of waiting requests at which no more are read from a connection. Those in a packet are already parsed. */
const waitingMax = 64
/** How much is read of the rest of a body after the answer, so that the connection can be used again. */
const unreadBytesMax = 1024 * 1024

/**
 * The requests of one connection. They are answered one after the other, each in a turn of the event loop of its own, so
 * that a client that sends thousands at once delays only itself.
 */
class Pipeline {
  readonly #socket: Socket
  readonly #answer: (exchange: Exchange) => void
  readonly #waiting: Exchange[] = []
  #current: Exchange | undefined
  #isBusy = false
  #isFull = false

  constructor(socket: Socket, answer: (exchange: Exchange) => void) {
    this.#socket = socket
    this.#answer = answer
    // Node resumes reading after each request that it has parsed.
    socket.on('resume', () => {
      if (this.#isFull) socket.pause()
    })
  }

  add(exchange: Exchange): void {
    if (!this.#isBusy) return this.#begin(exchange)
    this.#waiting.push(exchange)
    if (this.#waiting.length < waitingMax) return
    this.#isFull = true
    this.#socket.pause()
  }

  /** Checks that an answer is on its way, in which text on the bare socket would end up. */
  isAnswering(): boolean {
    if (!this.#current) return false
    const { request, response } = this.#current
    return response.headersSent && !(request.complete && response.writableEnded)
  }

  #begin(exchange: Exchange): void {
    this.#isBusy = true
    this.#current = exchange
    const { request, response } = exchange
    response.once('prefinish', () => {
      if (!request.complete) this.#readRest(request)
    })
    response.once('close', () => {
      this.#isBusy = this.#waiting.length > 0
      if (this.#isBusy) setImmediate(() => this.#next())
    })
    this.#answer(exchange)
  }

  /** Reads the rest of a body as Node does, but closes the connection if it is large. */
  #readRest(request: IncomingMessage): void {
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > unreadBytesMax) this.#socket.destroy()
    })
  }

  #next(): void {
    const exchange = this.#waiting.shift()
    if (!exchange || this.#socket.destroyed) return
    if (this.#isFull && this.#waiting.length < waitingMax) {
      this.#isFull = false
      this.#socket.resume()
    }
    this.#begin(exchange)
  }
}

const pipelines = new WeakMap<Socket, Pipeline>()

export const isAnswering = (socket: Socket): boolean => pipelines.get(socket)?.isAnswering() ?? false

/** Follows the requests of each connection, and answers with problems what Node would answer without a body. */
export function followExchanges(app: FastifyInstance): void {
  const { server } = app
  // In place of Fastify's own listener, which would answer all requests of a packet at once.
  server.removeAllListeners('request')
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    let pipeline = pipelines.get(socket)
    if (!pipeline) {
      pipeline = new Pipeline(socket, (exchange) => app.routing(exchange.request, exchange.response))
      pipelines.set(socket, pipeline)
    }
    pipeline.add({ request, response })
  })
  // RFC 9110 allows to ignore an unknown expectation.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  app.addHook('onRequest', ({ raw }, reply, done) => {
    // If such a request is answered before its body has arrived, Node reads nothing more from its connection.
    if (raw.headers.upgrade !== undefined) reply.header('connection', 'close')
    const isWithoutHost = raw.headers.host === undefined && raw.httpVersion === '1.1'
    done(isWithoutHost ? new Problem('bad_request', 'The header Host is missing.') : undefined)
  })
}
