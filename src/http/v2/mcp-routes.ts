import { Readable } from 'node:stream'
import { createMcpHandler } from '@modelcontextprotocol/server'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Adcube } from '../../client/index.ts'
import { Problem } from '../../contract/problems.ts'
import { makeMcpServer } from '../../mcp/make-mcp-server.ts'
import { authenticate, readKeyOrToken } from '../edge/authenticate.ts'
import { limitRate } from '../edge/rate-limits.ts'
import type { Services } from '../services.ts'

const batchMax = 20

/**
 * The Model Context Protocol, for assistants. Every tool calls the API of this service with the client's key, so that
 * keys, limits and errors are the same as everywhere.
 */
export async function mcpRoutes(app: FastifyInstance, services: Services): Promise<void> {
  // Without the stack: the message is the client's mistake.
  const onerror = ({ message }: Error): void => services.log.warn({ reason: message }, 'MCP message rejected')

  const count = limitRate(services)

  /** Counts each message of a batch like a request. The first one has been counted with the request itself. */
  const countBatch = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const messages = Array.isArray(request.body) ? request.body.length : 1
    if (messages > batchMax) throw new Problem('bad_request', `A batch can have at most ${batchMax} messages.`)
    for (let counted = 1; counted < messages; counted++) await count(request, reply)
  }
  const hooks = { onRequest: [authenticate(services, readKeyOrToken), count], preHandler: countBatch }

  app.post('/mcp', hooks, async (request, reply) => {
    const adcube = new Adcube({
      baseUrl: 'http://localhost',
      apiKey: readKeyOrToken(request) ?? '',
      fetch: askOurselves(app, request),
      // The assistant gets the time to wait at once, instead of a request that stays open.
      retries: 0,
    })
    // Without keep-alive messages, so that idle connections end as usual.
    const handler = createMcpHandler(() => makeMcpServer(adcube), { onerror, keepAliveMs: 0 })
    const headers = new Headers()
    for (const [name, value] of Object.entries(request.headers)) if (typeof value === 'string') headers.set(name, value)
    const asked = new Request('http://localhost/mcp', { method: 'POST', headers, signal: request.hangUp })
    const answer = await handler.fetch(asked, { parsedBody: request.body })
    reply.status(answer.status).headers(Object.fromEntries(answer.headers))
    return reply.send(answer.body === null ? '' : Readable.fromWeb(answer.body))
  })
}

/** A `fetch` that calls this service without a connection, from the address of the request. */
function askOurselves(app: FastifyInstance, { headers, socket }: FastifyRequest): typeof fetch {
  const { host, 'x-forwarded-for': forwardedFor, 'x-forwarded-proto': forwardedProto } = headers
  const origin = {
    ...(host !== undefined && { host }),
    ...(forwardedFor !== undefined && { 'x-forwarded-for': forwardedFor }),
    ...(forwardedProto !== undefined && { 'x-forwarded-proto': forwardedProto }),
  }
  return async (url, { method = 'GET', headers: given, body } = {}) => {
    const { pathname, search } = url as URL
    const answer = await app.inject({
      method: method as 'GET',
      url: pathname + search,
      headers: { ...(given as Record<string, string>), ...origin },
      remoteAddress: socket.remoteAddress ?? '',
      ...(typeof body === 'string' && { payload: body }),
    })
    const retryAfter = answer.headers['retry-after']
    return new Response(answer.body || null, {
      status: answer.statusCode,
      headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
    })
  }
}
