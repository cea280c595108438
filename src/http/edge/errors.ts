import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { LineFull } from '../../concurrency/waiting-line.ts'
import { Problem, problems, toProblemBody } from '../../contract/problems.ts'
import { FactsError, type Trouble } from '../../facts/errors.ts'
import type { Fault } from '../../query/faults.ts'
import { isStoreAway, isStoreFull } from '../../store/errors.ts'
import { isAnswering } from './connections.ts'

const mediaType = 'application/problem+json; charset=utf-8'

/** Answers whatever a request threw: with what the client may read. The rest goes to the log. */
export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const problem = toProblem(error)
  const { status } = problems[problem.code]
  request.notes.code = problem.code
  request.notes.rule = problem.extras.rule
  if (error instanceof FactsError && error.trouble === 'cancelled') request.log.info('client disconnected')
  else if (error instanceof FactsError && error.trouble === 'busy') request.log.warn(problem.code)
  else if (status >= 500) request.log.error({ err: error }, problem.code)
  // Again, because a request with an unreadable address does not reach the hooks.
  setCommonHeaders(request, reply)
  reply
    .status(status)
    .headers({ ...problem.extras.headers })
    .type(mediaType)
    .send(JSON.stringify(toProblemBody(problem, request.id)))
}

export function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers({ 'x-request-id': request.id, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
}

const unknownPath = 'Unknown path. The data endpoints are under /v2/data, those of the console under /console/api.'
/** Paths of the data endpoints under another version, or under none. */
const otherVersion = /^(?:\/[\w.-]{1,20}){0,2}?(\/data(?:\/(?:synchronous|asynchronous|status|metadata))?)\/?(?:\?|$)/

function answerNotFound(request: FastifyRequest, reply: FastifyReply): void {
  const rest = otherVersion.exec(request.url)?.[1]
  const meant = rest === undefined ? '' : ` Did you mean "/v2${rest}"?`
  answerError(new Problem('not_found', `${unknownPath}${meant}`), request, reply)
}

/** Answers requests to unknown paths of a scope. A hook does it, because Fastify's own handler waits for the body. */
export function refuseUnknownPaths(scope: FastifyInstance): void {
  scope.addHook('onRequest', (request, reply, done) => (request.is404 ? answerNotFound(request, reply) : done()))
  scope.setNotFoundHandler(answerNotFound)
}

const clientErrors: Readonly<Record<string, Problem>> = {
  HPE_HEADER_OVERFLOW: new Problem('headers_too_large', 'The request headers are larger than this server accepts.'),
  ERR_HTTP_REQUEST_TIMEOUT: new Problem(
    'request_timeout',
    'The headers must arrive within 15 seconds and the whole request within 30 seconds.',
  ),
}
const notHttp = new Problem('bad_request', 'This is not a complete HTTP request.')

/** Time to read an answer of one packet. Without it, destroying the socket could discard the answer. */
const lingerMs = 1_000

/** Answers what is not even HTTP, on the bare socket. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET' || isAnswering(socket)) {
    socket.destroy()
    return
  }
  const problem = clientErrors[error.code ?? ''] ?? notHttp
  const body = JSON.stringify(toProblemBody(problem, 'none'))
  const { status } = problems[problem.code]
  // A client that does not close its side would keep the connection open.
  setTimeout(() => socket.destroy(), lingerMs).unref()
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: ${mediaType}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}

const storeFull = new Problem(
  'store_full',
  'The disk of the server may be full. Nothing was changed; try again later.',
  { headers: { 'retry-after': '30' } },
)
const retrySoon = { headers: { 'retry-after': '1' } }

function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof FactsError) return engineProblems[error.trouble]
  if (error instanceof LineFull) return new Problem('sign_in_busy', 'Please try again.', retrySoon)
  // Before isStoreAway, because an interrupted body has the code of an interrupted database connection.
  const known = fastifyProblem(error)
  if (known) return known
  // Before isStoreAway, because a full disk of PostgreSQL is one of its missing resources.
  if (isStoreFull(error)) return storeFull
  if (isStoreAway(error)) return new Problem('store_away', 'Try again soon.', retrySoon)
  return new Problem('internal', 'Try again. If it happens again, send your operator the request_id.')
}

const engineProblems: Readonly<Record<Trouble, Problem>> = {
  away: new Problem('engine_away', 'Try again soon.', retrySoon),
  busy: new Problem('engine_busy', 'Ask for fewer days or fields, or try again later.', {
    headers: { 'retry-after': '5' },
  }),
  damaged: new Problem(
    'facts_damaged',
    'Some of the requested days cannot be read. The operator has been alerted; other days are available.',
    { headers: { 'retry-after': '60' } },
  ),
  timeout: new Problem('query_timeout', 'Ask for fewer days or fields, or narrow the query with filters.'),
  // Seen only if the operator has killed the query: otherwise the client has disconnected.
  cancelled: new Problem('engine_away', 'The query was cancelled.', retrySoon),
}

const malformedJson = new Problem('malformed_json', 'The body cannot be parsed as JSON.')
const fastifyProblems: Readonly<Record<string, Problem>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: new Problem(
    'unsupported_media_type',
    'Send the body as JSON, with the header Content-Type: application/json.',
  ),
  FST_ERR_CTP_BODY_TOO_LARGE: new Problem('body_too_large', 'A query can have at most 1 MiB, any other body 8 KiB.'),
  FST_ERR_CTP_EMPTY_JSON_BODY: malformedJson,
  FST_ERR_CTP_INVALID_JSON_BODY: malformedJson,
}

/** The problem for an error of Fastify's that the client has caused. */
function fastifyProblem(error: unknown): Problem | undefined {
  if (!(error instanceof Error)) return undefined
  const { code = '', statusCode = 0, validation } = error as Partial<FastifyError>
  if (code === 'FST_ERR_VALIDATION') return bodyProblem(validation ?? [])
  const known = fastifyProblems[code]
  if (known) return known
  if (error instanceof SyntaxError && statusCode === 400) return malformedJson
  return statusCode >= 400 && statusCode < 500 ? new Problem('bad_request', 'The request is malformed.') : undefined
}

/** A finding of Ajv in verbose mode. */
type Finding = {
  readonly keyword: string
  readonly instancePath: string
  readonly params: Record<string, unknown>
  readonly message?: string
  readonly parentSchema?: { readonly description?: string }
}

const faultsMax = 20

/** The findings in a body, each with a pointer, as faults of queries have it. */
function bodyProblem(findings: readonly Finding[]): Problem {
  const errors = findings.slice(0, faultsMax).map(toFault)
  return new Problem('invalid_body', errors.map(({ pointer, detail }) => `${pointer}: ${detail}`).join(' '), { errors })
}

function toFault({ keyword, instancePath, params, message, parentSchema }: Finding): Fault {
  const at = (name: unknown): string => `#${instancePath}/${String(name).slice(0, 60)}`
  if (keyword === 'required') return { pointer: at(params.missingProperty), detail: 'Required.' }
  if (keyword === 'additionalProperties') return { pointer: at(params.additionalProperty), detail: 'Unknown field.' }
  return { pointer: `#${instancePath}`, detail: parentSchema?.description ?? `It ${message}.` }
}
