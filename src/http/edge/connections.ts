import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
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

type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse }

/** By connection, the requests that have not fully arrived or whose answers are not fully written. */
const exchanges = new WeakMap<Socket, readonly Exchange[]>()

const exchangesOf = (socket: Socket): readonly Exchange[] =>
  (exchanges.get(socket) ?? []).filter(({ request, response }) => !request.complete || !response.writableEnded)

/** Checks that an answer is on its way, in which text on the bare socket would end up. */
export const isAnswering = (socket: Socket): boolean => exchangesOf(socket).some(({ response }) => response.headersSent)

/** Follows the requests of each connection, and answers with problems what Node would answer without a body. */
export function followExchanges(app: FastifyInstance): void {
  const { server } = app
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    exchanges.set(request.socket, [...exchangesOf(request.socket), { request, response }])
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
