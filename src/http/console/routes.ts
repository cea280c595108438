import cookie from '@fastify/cookie'
import type { FastifyInstance } from 'fastify'
import { consoleBounds } from '../../catalog/limits.ts'
import { changesLimit, makeThrottle, queriesLimit } from '../edge/rate-limits.ts'
import type { Services } from '../services.ts'
import { answerSynchronously, queryBytesMax } from '../v2/queries.ts'
import { answerValues } from './answer-values.ts'
import { auditRoutes } from './audit-routes.ts'
import { jobRoutes } from './job-routes.ts'
import { keyRoutes } from './key-routes.ts'
import { loadRoutes } from './load-routes.ts'
import { peopleRoutes } from './people-routes.ts'
import { isRead, membershipOf, refuseOtherSites, requireAccount } from './session.ts'
import { sessionRoutes } from './session-routes.ts'
import { usageRoutes } from './usage-routes.ts'
import { viewRoutes } from './view-routes.ts'

/** Except for queries, the largest body has two passwords. */
const bodyBytesMax = 8 * 1024

/** The console's API, which has a person's cookie instead of an account's key. */
export async function consoleRoutes(app: FastifyInstance, services: Services): Promise<void> {
  app.addHook('onRoute', (route) => {
    route.bodyLimit ??= bodyBytesMax
  })
  await app.register(cookie)
  app.addHook('onRequest', refuseOtherSites)
  await sessionRoutes(app, services)
  const { onRequest, preHandler } = requireAccount(services)
  const countChange = makeThrottle(changesLimit, services.now)
  const countQuery = makeThrottle(queriesLimit, services.now)
  app.register(async (settings) => {
    settings.addHook('onRequest', onRequest)
    settings.addHook('preHandler', preHandler)
    settings.addHook('onRequest', async (request) => {
      if (!isRead(request)) countChange(membershipOf(request).accountId)
    })
    for (const routes of [keyRoutes, peopleRoutes, auditRoutes, jobRoutes, viewRoutes, usageRoutes, loadRoutes]) {
      await routes(settings, services)
    }
  })
  app.register(async (queries) => {
    queries.addHook('onRequest', onRequest)
    queries.addHook('preHandler', preHandler)
    queries.addHook('onRequest', async (request) => countQuery(membershipOf(request).accountId))
    queries.post('/query', { bodyLimit: queryBytesMax }, answerSynchronously(services, consoleBounds))
    queries.get('/values', answerValues(services))
  })
}
