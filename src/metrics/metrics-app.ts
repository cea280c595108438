import fastify, { LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import type { Registry } from 'prom-client'
import { answerError, setCommonHeaders } from '../http/edge/errors.ts'
import { healthRoutes, type HealthDeps } from '../http/edge/health-routes.ts'
import { Problem } from '../contract/problems.ts'
import { makeRecorder, recordRequests } from '../http/edge/record-requests.ts'
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
  const record = makeRecorder(undefined)
  const app = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: 1_024,
    requestTimeout: 10_000,
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => {
      record(request, reply)
      answerError(error, request, reply)
    },
  })
  app.server.maxConnections = connectionsMax
  recordRequests(app, record)
  app.addHook('onRequest', async (request, reply) => setCommonHeaders(request, reply))
  app.setErrorHandler(answerError)
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
