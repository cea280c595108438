import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { Problem } from '../../contract/problems.ts'

type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse }

/** Of each connection, the requests that have not arrived to their end, or whose answer is not written to its end. */
const underWay = new WeakMap<Socket, readonly Exchange[]>()

const isOver = ({ request, response }: Exchange): boolean => request.complete && response.writableEnded

const exchangesOf = (socket: Socket): readonly Exchange[] =>
  (underWay.get(socket) ?? []).filter((exchange) => !isOver(exchange))

/** Whether text of ours on the bare socket would become part of an answer, or the second one to a request. */
export const isAnswering = (socket: Socket): boolean => exchangesOf(socket).some(({ response }) => response.headersSent)

/** Follows the requests of each connection, and takes over what Node would answer without a problem's body. */
export function followExchanges(app: FastifyInstance): void {
  const { server } = app
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    underWay.set(request.socket, [...exchangesOf(request.socket), { request, response }])
  })
  // An expectation that we do not know is ignored, as RFC 9110 allows.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  app.addHook('onRequest', ({ raw }, reply, done) => {
    // Node reads nothing more from a connection after such a request, if it is answered before its body has arrived.
    if (raw.headers.upgrade !== undefined) reply.header('connection', 'close')
    const isWithoutHost = raw.headers.host === undefined && raw.httpVersion === '1.1'
    done(isWithoutHost ? new Problem('bad_request', 'The header Host is missing.') : undefined)
  })
}
