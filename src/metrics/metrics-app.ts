import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import type { Registry } from 'prom-client'
import { answerError } from '../http/edge/errors.ts'
import { healthRoutes, type HealthDeps } from '../http/edge/health-routes.ts'
import { Problem } from '../contract/problems.ts'
import { makeServer } from '../http/edge/make-server.ts'
import { refuseOtherMethods } from '../http/edge/refuse-other-methods.ts'

type MetricsDeps = HealthDeps & {
  readonly log: FastifyBaseLogger
  readonly registry: Registry
  /** Updates the gauges that are read before a scrape. */
  readonly refresh: () => Promise<void>
}

/** A few collectors and load balancers. */
const connectionsMax = 64

/** Builds the app for metrics and health on their own address. A worker has no other. */
export function buildMetricsApp({ log, registry, refresh, ...health }: MetricsDeps): FastifyInstance {
  const app = makeServer({ log, connectionsMax, bodyLimit: 1_024, requestTimeout: 10_000 })
  app.setNotFoundHandler((request, reply) => {
    answerError(new Problem('not_found', 'Here are /metrics, /healthz and /readyz.'), request, reply)
  })
  const routes = async (scope: FastifyInstance): Promise<void> => {
    await healthRoutes(scope, health)
    scope.get('/metrics', async (_request, reply) => {
      await refresh()
      return reply.type(registry.contentType).send(await registry.metrics())
    })
  }
  app.register(refuseOtherMethods(routes))
  return app
}
