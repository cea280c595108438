import type { FastifyReply, FastifyRequest } from 'fastify'
import { asynchronousLimits } from '../../catalog/limits.ts'
import { submitJob } from '../../reports/submit-job.ts'
import type { Job } from '../../reports/job.ts'
import type { Services } from '../services.ts'
import { accountOf } from '../edge/authenticate.ts'
import { readCube } from '../edge/parameters.ts'
import { Problem } from '../../contract/problems.ts'
import { readQuery } from './queries.ts'
import { retryAfter } from '../edge/rate-limits.ts'

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
