import type { FastifyInstance } from 'fastify'
import type { Deps } from './app.ts'
import { answerRanges } from './answer-ranges.ts'
import { answerSynchronously } from './answer-synchronously.ts'
import { accountOf } from './authenticate.ts'
import { describeCatalog } from './metadata.ts'
import { readParameters } from './parameters.ts'
import { refuseOtherMethods } from './refuse-other-methods.ts'

/** The data endpoints of version 2. */
export async function dataRoutes(app: FastifyInstance, deps: Deps): Promise<void> {
  app.get('/data', answerRanges(deps))
  app.get('/data/metadata', async (request) => {
    readParameters(request, [])
    return describeCatalog(accountOf(request))
  })
  app.post('/data/synchronous', answerSynchronously(deps))

  refuseOtherMethods(app, {
    '/data': ['GET', 'HEAD'],
    '/data/metadata': ['GET', 'HEAD'],
    '/data/synchronous': ['POST'],
  })
}
