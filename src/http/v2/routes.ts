import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import { synchronousLimits } from '../../catalog/limits.ts'
import { jobStates } from '../../contract/answers.ts'
import { Problem } from '../../contract/problems.ts'
import { dayMs, dayOf } from '../../query/day.ts'
import { quote } from '../../query/faults.ts'
import { oldestDayKept } from '../../query/parse-range.ts'
import { cancelOrRemoveJob } from '../../reports/cancel-or-remove-job.ts'
import { listJobs } from '../../reports/list-jobs.ts'
import { cubesOf } from '../../store/accounts.ts'
import { findLoadedRange } from '../../store/loads.ts'
import { allowOrigins } from '../edge/allow-origins.ts'
import { accountOf, authenticate } from '../edge/authenticate.ts'
import { refuseUnknownPaths } from '../edge/errors.ts'
import { readParameters, resolveCube, wrongParameter } from '../edge/parameters.ts'
import { limitRate } from '../edge/rate-limits.ts'
import type { Services } from '../services.ts'
import { jobShape } from './job-shape.ts'
import { describeCatalog } from './metadata.ts'
import { answerAsynchronously, answerSynchronously } from './queries.ts'

/**
 * All paths that begin with a version. Keys and rates are checked by hooks of this scope, not by comparing addresses, so
 * that no spelling of an address avoids them. Rates count across versions: unknown versions are counted like v2.
 */
export async function versionedRoutes(app: FastifyInstance, services: Services): Promise<void> {
  allowOrigins(app, services.allowedOrigins)
  // Each takes a fifth of a millisecond.
  app.addHook('onRequest', paceRequests(4))
  app.addHook('onRequest', authenticate(services))
  app.addHook('onRequest', limitRate(services))
  // Bodies arrive one by one. Handled side by side, each step finds its code and data warm: a third less CPU in all.
  app.addHook('preHandler', paceRequests(8))

  const register = (prefix: string, routes: (scope: FastifyInstance) => void): void => {
    app.register(
      async (scope) => {
        refuseUnknownPaths(scope)
        routes(scope)
      },
      { prefix },
    )
  }
  register('/v2', (v2) => dataRoutes(v2, services))
  register(String.raw`/:version(^v\d+$)`, () => {})
}

/**
 * A hook that passes a few requests in each turn of the event loop. If hundreds that arrive at once were handled in one
 * turn, health checks and all other requests would wait for the last of them.
 */
function paceRequests(requestsPerTurn: number) {
  const waiting: HookHandlerDoneFunction[] = []
  const pass = (): void => {
    for (const done of waiting.splice(0, requestsPerTurn)) done()
    if (waiting.length > 0) setImmediate(pass)
  }
  return (_request: FastifyRequest, _reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    if (waiting.push(done) === 1) setImmediate(pass)
  }
}

function dataRoutes(app: FastifyInstance, services: Services): void {
  const { facts, store, now } = services

  app.get('/data', async (request) => {
    const account = accountOf(request)
    const { cube } = readParameters(request, ['cube'])
    const asked = cube === undefined ? cubesOf(account) : [resolveCube(cube, request)]
    const oldest = oldestDayKept(dayOf(now()))
    request.notes.enter('store')
    return Promise.all(
      asked.map(async ({ name }) => {
        const range = await findLoadedRange(store, { cube: name, account: account.id, oldest })
        return { cube: name, start: range?.start ?? null, end: range?.end ?? null }
      }),
    )
  })

  app.get('/data/metadata', async (request) => {
    readParameters(request, [])
    return describeCatalog(accountOf(request), facts)
  })

  app.post('/data/synchronous', answerSynchronously(services, synchronousLimits))

  app.post(
    '/data/asynchronous',
    answerAsynchronously(services, (job, request) => jobShape(job, services, request)),
  )

  app.get('/data/status', async (request) => {
    const { jobId, jobStatus } = readParameters(request, ['jobId', 'jobStatus'])
    const state = jobStates.find((each) => each === jobStatus?.toUpperCase())
    if (jobStatus !== undefined && !state) {
      throw wrongParameter('jobStatus', `One of ${jobStates.join(', ')}, not ${quote(jobStatus)}.`)
    }
    const since = jobId === undefined && state === undefined ? now() - dayMs : undefined
    request.notes.enter('store')
    const jobs = await listJobs(store, { accountId: accountOf(request).id, id: jobId, state, since })
    return jobs.map((job) => jobShape(job, services, request))
  })

  app.delete('/data/status', async (request, reply) => {
    const { jobId } = readParameters(request, ['jobId'])
    if (jobId === undefined || jobId === '') throw wrongParameter('jobId', 'Required: the job to cancel or to remove.')
    const accountId = accountOf(request).id
    const outcome = await cancelOrRemoveJob(services, { id: jobId, accountId })
    if (outcome === 'unknown') throw new Problem('not_found', 'Unknown job.')
    const [cancelled] = outcome === 'cancelled' ? await listJobs(store, { accountId, id: jobId }) : []
    return cancelled ? jobShape(cancelled, services, request) : reply.status(204).send()
  })
}
