import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Throttle } from '../../access/throttle.ts'
import { listAudit } from '../../store/audit.ts'
import type { Services } from '../app.ts'
import { readPage, toPage } from '../page.ts'
import { wrongParameter } from '../parameters.ts'
import { Problem } from '../problems.ts'
import { retryAfter } from '../rate-headers.ts'
import { refuseOtherMethods } from '../refuse-other-methods.ts'
import { demandSession, sessionOf } from './demand-session.ts'
import { keyRoutes } from './key-routes.ts'
import { peopleRoutes } from './people-routes.ts'
import { refuseOtherSites } from './same-origin.ts'
import { sessionRoutes } from './session-routes.ts'
import { auditShape } from '../shapes.ts'

/** The largest is a password or two. */
const bodyBytesMax = 8 * 1024

/** What the console in the browser works with: a person's cookie instead of an account's key. */
export async function consoleRoutes(app: FastifyInstance, services: Services): Promise<void> {
  app.addHook('onRoute', (route) => {
    route.bodyLimit = bodyBytesMax
  })
  app.addHook('onRequest', refuseOtherSites)
  await sessionRoutes(app, services)
  app.register(async (signedIn) => {
    // Before the body is read, and again when it has arrived, which a slow sender can put off: rights may be gone by then.
    signedIn.addHook('onRequest', demandSession(services))
    signedIn.addHook('preHandler', demandSession(services))
    signedIn.addHook('onRequest', slowChanges(services))
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

/** A person needs a handful; each makes every node forget the keys that it knows. */
const changesAllowance = { burst: 60, refillMs: 1_000 }

/** A hook that lets an account change itself only so often. */
function slowChanges({ now }: Services) {
  const changes = new Throttle(changesAllowance)
  return async (request: FastifyRequest): Promise<void> => {
    if (request.method === 'GET' || request.method === 'HEAD') return
    const waitMs = changes.take(sessionOf(request).account.id, now())
    if (waitMs === 0) return
    throw new Problem('too_many_changes', 'The account has been changed very often; please wait.', {
      headers: retryAfter(waitMs),
    })
  }
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
