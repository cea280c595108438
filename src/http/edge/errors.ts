import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { LineFull } from '../../concurrency/waiting-line.ts'
import { FactsError, type Trouble } from '../../facts/errors.ts'
import { isStoreAway } from '../../store/errors.ts'
import { bodyProblem } from './body-problem.ts'
import { isAnswering } from './exchanges.ts'
import { Problem, problemBody, problems, type ProblemCode } from '../../contract/problems.ts'

const mediaType = 'application/problem+json; charset=utf-8'

/** The last word on whatever a request threw: what the caller may read goes out, the rest goes to the log. */
export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const problem = toProblem(error)
  request.notes.code = problem.code
  request.notes.rule = problem.extras.rule
  if (error instanceof FactsError && error.trouble === 'cancelled') request.log.info('client disconnected')
  else if (error instanceof FactsError && error.trouble === 'busy') request.log.warn(problem.code)
  else if (problems[problem.code].status >= 500) request.log.error({ err: error }, problem.code)
  // Once more, because an address that cannot be read never gets as far as the hooks.
  setCommonHeaders(request, reply)
  reply
    .status(problems[problem.code].status)
    .headers({ ...problem.extras.headers })
    .type(mediaType)
    .send(JSON.stringify(problemBody(problem, request.id)))
}

export function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers({ 'x-request-id': request.id, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
}

export function answerNotFound(request: FastifyRequest, reply: FastifyReply): void {
  answerError(
    new Problem(
      'not_found',
      'Unknown path. The data endpoints are under /v2/data, those of the console under /console/api.',
    ),
    request,
    reply,
  )
}

const clientErrors: Readonly<Record<string, { readonly code: ProblemCode; readonly detail: string }>> = {
  HPE_HEADER_OVERFLOW: {
    code: 'headers_too_large',
    detail: 'The request headers are larger than this server accepts.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    code: 'request_timeout',
    detail: 'The headers must arrive within 15 seconds and the whole request within 30 seconds.',
  },
}

/** Enough to read an answer of one packet; destroyed at once, it could be lost on its way. */
const lingerMs = 1_000

/** Answers what is not even HTTP, on the bare socket. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET' || isAnswering(socket)) {
    socket.destroy()
    return
  }
  const { code, detail } = clientErrors[error.code ?? ''] ?? {
    code: 'bad_request',
    detail: 'This is not a complete HTTP request.',
  }
  const body = JSON.stringify(problemBody(new Problem(code, detail), 'none'))
  const { status } = problems[code]
  // One that does not close its side would keep the connection for ever.
  setTimeout(() => socket.destroy(), lingerMs).unref()
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: ${mediaType}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}

function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof FactsError) return engineProblems[error.trouble]()
  if (error instanceof LineFull) return new Problem('sign_in_busy', 'Please try again.', { headers: retrySoon })
  // First, because a body that breaks off has the code of a database that does.
  const known = fastifyProblem(error)
  if (known) return known
  if (isStoreAway(error)) {
    return new Problem('store_away', 'Try again soon.', { headers: retrySoon })
  }
  return new Problem('internal', 'Try again. If it happens again, send your operator the request_id.')
}

const retrySoon = { 'retry-after': '1' }

const engineProblems: Record<Trouble, () => Problem> = {
  away: () => new Problem('engine_away', 'Try again soon.', { headers: retrySoon }),
  busy: () =>
    new Problem('engine_busy', 'Ask for fewer days or fields, or try again later.', {
      headers: { 'retry-after': '5' },
    }),
  timeout: () => new Problem('query_timeout', 'Ask for fewer days or fields, or narrow the query with filters.'),
  // Read only where the operator has killed the query: otherwise the caller has hung up.
  cancelled: () => new Problem('engine_away', 'The query was cancelled.', { headers: retrySoon }),
}

const malformedJson = () => new Problem('malformed_json', 'The body cannot be parsed as JSON.')

const fastifyProblems: Readonly<Record<string, () => Problem>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
    new Problem('unsupported_media_type', 'Send the body as JSON, with the header Content-Type: application/json.'),
  FST_ERR_CTP_BODY_TOO_LARGE: () =>
    new Problem('body_too_large', 'A query can have at most 1 MiB, any other body 8 KiB.'),
  FST_ERR_CTP_EMPTY_JSON_BODY: malformedJson,
  FST_ERR_CTP_INVALID_JSON_BODY: malformedJson,
}

/** Fastify's own errors: those with a code of ours, and whatever else it blames on the caller. */
function fastifyProblem(error: unknown): Problem | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, statusCode } = error as Error & { code?: string; statusCode?: number }
  if (code === 'FST_ERR_VALIDATION') return bodyProblem(error as FastifyError)
  const known = code === undefined ? undefined : fastifyProblems[code]
  if (known) return known()
  if (error instanceof SyntaxError && statusCode === 400) return malformedJson()
  return statusCode !== undefined && statusCode >= 400 && statusCode < 500
    ? new Problem('bad_request', 'The request is malformed.')
    : undefined
}
