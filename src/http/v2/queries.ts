import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Cube } from '../../catalog/cube.ts'
import { asynchronousLimits, type QueryBounds } from '../../catalog/limits.ts'
import type { QueryAnswer } from '../../contract/answers.ts'
import { Problem } from '../../contract/problems.ts'
import { dayOf } from '../../query/day.ts'
import { parseQuery } from '../../query/parse.ts'
import type { Query } from '../../query/query.ts'
import type { Job } from '../../reports/job.ts'
import { submitJob } from '../../reports/submit-job.ts'
import { accountOf } from '../edge/authenticate.ts'
import { readCube } from '../edge/parameters.ts'
import { retryAfter } from '../edge/rate-limits.ts'
import type { Services } from '../services.ts'

/** Five filters of a thousand ordinary values take a tenth of this. */
export const queryBytesMax = 1024 * 1024

const dataStart = Buffer.from('{"data":[')

/** POST /v2/data/synchronous, and the console's POST /query. */
export function answerSynchronously(services: Services, limits: QueryBounds) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<Buffer> => {
    const cube = readCube(request)
    const query = readQuery(request.body, { cube, limits, now: services.now() })
    const { json, count, isTruncated, readFrom, dataThrough } = await runQuery(services, request, query)
    const meta: QueryAnswer['meta'] = {
      cube: cube.name,
      start: query.start,
      end: query.end,
      rows: count,
      limit: query.limit,
      truncated: isTruncated,
      read_from: readFrom,
      data_through: dataThrough ?? null,
      request_id: request.id,
    }
    reply.type('application/json; charset=utf-8')
    return Buffer.concat([dataStart, json, Buffer.from(`],"meta":${JSON.stringify(meta)}}`)])
  }
}

/** POST /v2/data/asynchronous, and the console's POST /jobs. */
export function answerAsynchronously(services: Services, shapeOf: (job: Job, request: FastifyRequest) => object) {
  const { store, workers, exportMsMax, now } = services
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const cube = readCube(request)
    const idempotencyKey = readIdempotencyKey(request)
    const { start, end } = readQuery(request.body, { cube, limits: asynchronousLimits, now: now() })
    request.notes.enter('store')
    const outcome = await submitJob(store, {
      account: accountOf(request),
      cube: cube.name,
      start,
      end,
      body: request.body,
      idempotencyKey,
      deadlineMs: exportMsMax,
      now: now(),
    })
    request.notes.leave()
    if (!('refusal' in outcome)) {
      workers.wake()
      return reply.status(202).send(shapeOf(outcome.job, request))
    }
    if (outcome.refusal === 'key_taken') {
      throw new Problem('idempotency_key_taken', 'It was sent with another query in the last 24 hours. Use a new key.')
    }
    throw new Problem('rate_limited', `Jobs: at most ${outcome.quota} in 24 hours ("jobs").`, {
      headers: retryAfter(outcome.retryMs),
      rule: 'jobs',
    })
  }
}

function readIdempotencyKey(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key
  throw new Problem('bad_request', 'Idempotency-Key: 1 to 255 printable ASCII characters without spaces.')
}

/** The query in a body, or one problem with all its faults. */
function readQuery(
  body: unknown,
  { cube, limits, now }: { readonly cube: Cube; readonly limits: QueryBounds; readonly now: number },
): Query {
  const parsed = parseQuery(body, { cube, limits, today: dayOf(now) })
  if (!('faults' in parsed)) return parsed.query
  const [first] = parsed.faults
  const more = parsed.faults.length > 1 ? ` And ${parsed.faults.length - 1} more, see errors.` : ''
  throw new Problem('invalid_query', `${first?.pointer}: ${first?.detail}${more}`, { errors: parsed.faults })
}

/** Runs a query over the facts of the request's account; `dataThrough` is the last loaded day, in the query or not. */
export async function runQuery({ facts, findLoadedDays, now }: Services, request: FastifyRequest, query: Query) {
  const { id: account, loadsRevision: revision } = accountOf(request)
  const { notes } = request
  notes.enter('store')
  const { start, end } = query
  const range = { cube: query.cube.name, account, revision, start, end, today: dayOf(now()) }
  const { visible, last } = await findLoadedDays(range)
  notes.enter('wait')
  const found = await facts.readRows(
    query,
    { account, visible },
    { id: request.id, signal: request.hangUp, onBegin: () => notes.enter('engine') },
  )
  notes.leave()
  notes.rows = found.count
  return { ...found, dataThrough: last }
}
