import type { FastifyInstance } from 'fastify'
import { synchronousLimits } from '../../catalog/limits.ts'
import { answerAsynchronously } from './answer-asynchronously.ts'
import type { Services } from '../services.ts'
import { answerRanges } from './answer-ranges.ts'
import { answerSynchronously } from './answer-synchronously.ts'
import { accountOf } from '../edge/authenticate.ts'
import { jobShape } from './job-shape.ts'
import { describeCatalog } from './metadata.ts'
import { readParameters } from '../edge/parameters.ts'
import { statusRoutes } from './status-routes.ts'

/** The data endpoints of version 2. */
export async function dataRoutes(app: FastifyInstance, services: Services): Promise<void> {
  app.get('/data', answerRanges(services))
  app.get('/data/metadata', async (request) => {
    readParameters(request, [])
    return describeCatalog(accountOf(request), services.facts)
  })
  app.post('/data/synchronous', answerSynchronously(services, synchronousLimits))

  app.post(
    '/data/asynchronous',
    answerAsynchronously(services, (job, request) => jobShape(job, services, request)),
  )
  await statusRoutes(app, services)
}
