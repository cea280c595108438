import type { FastifyInstance } from 'fastify'
import { listAudit } from '../../store/audit.ts'
import type { Services } from '../app.ts'
import { readPage, toPage } from '../page.ts'
import { wrongParameter } from '../parameters.ts'
import { refuseOtherMethods } from '../refuse-other-methods.ts'
import { demandSession, sessionOf } from './demand-session.ts'
import { keyRoutes } from './key-routes.ts'
import { peopleRoutes } from './people-routes.ts'
import { refuseOtherSites } from './same-origin.ts'
import { sessionRoutes } from './session-routes.ts'
import { auditShape } from './shapes.ts'

/** What the console in the browser works with: a person's cookie instead of an account's key. */
export async function consoleRoutes(app: FastifyInstance, services: Services): Promise<void> {
  app.addHook('onRequest', refuseOtherSites)
  await sessionRoutes(app, services)
  app.register(async (signedIn) => {
    signedIn.addHook('onRequest', demandSession(services))
    await keyRoutes(signedIn, services)
    await peopleRoutes(signedIn, services)
    await auditRoutes(signedIn, services)
  })
  refuseOtherMethods(app, {
    '/session': ['GET', 'HEAD', 'POST', 'DELETE'],
    '/sessions': ['DELETE'],
    '/password': ['POST'],
    '/invitation': ['POST'],
    '/keys': ['GET', 'HEAD', 'POST'],
    '/keys/:id': ['DELETE'],
    '/people': ['GET', 'HEAD', 'POST'],
    '/people/:id': ['PATCH', 'DELETE'],
    '/audit': ['GET', 'HEAD'],
  })
}

/** Who changed what, newest first. */
async function auditRoutes(app: FastifyInstance, { store }: Services): Promise<void> {
  app.get('/audit', async (request) => {
    const { limit, cursor } = readPage(request, 'before')
    const before = cursor === undefined ? undefined : Number(cursor)
    if (before !== undefined && !(Number.isInteger(before) && before >= 0 && before < 2 ** 31)) {
      throw wrongParameter('before', 'The id of an entry.')
    }
    const entries = await listAudit(store, { accountId: sessionOf(request).account.id, before, limit: limit + 1 })
    return toPage(entries, limit, auditShape, ({ id }) => String(id))
  })
}
