import type { FastifyInstance } from 'fastify'
import type { Deps } from './app.ts'
import { answerRanges } from './answer-ranges.ts'
import { answerSynchronously } from './answer-synchronously.ts'
import { accountOf, authenticate } from './authenticate.ts'
import { answerNotFound } from './errors.ts'
import { describeCatalog } from './metadata.ts'
import { readParameters } from './parameters.ts'
import { refuseOtherMethods } from './refuse-other-methods.ts'

/**
 * Everything under /v2. The key is checked by a hook of this scope rather than by the look of an address, so that no
 * spelling of an address finds a way around it.
 */
export async function dataRoutes(app: FastifyInstance, deps: Deps): Promise<void> {
  app.addHook('onRequest', authenticate(deps))
  app.setNotFoundHandler(answerNotFound)

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
