import cookie from '@fastify/cookie'
import type { FastifyInstance } from 'fastify'
import type { Services } from '../services.ts'
import { auditRoutes } from './audit-routes.ts'
import { demandSession, demandSessionStill } from './demand-session.ts'
import { jobRoutes } from './job-routes.ts'
import { keyRoutes } from './key-routes.ts'
import { loadRoutes } from './load-routes.ts'
import { peopleRoutes } from './people-routes.ts'
import { queryRoutes } from './query-routes.ts'
import { refuseOtherSites } from './same-origin.ts'
import { sessionRoutes } from './session-routes.ts'
import { slowChanges } from './slow-changes.ts'
import { slowQueries } from './slow-queries.ts'
import { usageRoutes } from './usage-routes.ts'
import { viewRoutes } from './view-routes.ts'

/** Of all but queries the largest is a password or two. */
const bodyBytesMax = 8 * 1024

/** What the console in the browser works with: a person's cookie instead of an account's key. */
export async function consoleRoutes(app: FastifyInstance, services: Services): Promise<void> {
  app.addHook('onRoute', (route) => {
    route.bodyLimit ??= bodyBytesMax
  })
  await app.register(cookie)
  app.addHook('onRequest', refuseOtherSites)
  await sessionRoutes(app, services)
  app.register(async (signedIn) => {
    signedIn.addHook('onRequest', demandSession(services))
    signedIn.addHook('preHandler', demandSessionStill(services))
    signedIn.addHook('onRequest', slowChanges(services))
    await keyRoutes(signedIn, services)
    await peopleRoutes(signedIn, services)
    await auditRoutes(signedIn, services)
    await jobRoutes(signedIn, services)
    await viewRoutes(signedIn, services)
    await usageRoutes(signedIn, services)
    await loadRoutes(signedIn, services)
  })
  app.register(async (querying) => {
    querying.addHook('onRequest', demandSession(services))
    querying.addHook('preHandler', demandSessionStill(services))
    querying.addHook('onRequest', slowQueries(services))
    await queryRoutes(querying, services)
  })
}
