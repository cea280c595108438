import type { FastifyInstance } from 'fastify'
import { KeyVerifier } from '../access/verify-key.ts'
import { rememberLoads } from '../store/remember-loads.ts'
import { WriteWatch } from '../store/write-watch.ts'
import { consolePage } from './console/console-page.ts'
import { consoleRoutes } from './console/routes.ts'
import {
  defaultConnectionLimits,
  followExchanges,
  limitConnectionsByAddress,
  serverOptions,
} from './edge/connections.ts'
import { answerClientError, refuseUnknownPaths } from './edge/errors.ts'
import { healthRoutes } from './edge/health-routes.ts'
import { makeServer } from './edge/make-server.ts'
import { originOfRequest } from './edge/origin-of-request.ts'
import { parseJson } from './edge/parse-json.ts'
import { makeThrottle, refusedLimit } from './edge/rate-limits.ts'
import { refuseOtherMethods } from './edge/refuse-other-methods.ts'
import { mcpRoutes } from './v2/mcp-routes.ts'
import { openapiRoutes } from './openapi/describe-api.ts'
import { reportRoutes } from './reports/report-routes.ts'
import type { Deps, Services } from './services.ts'
import { queryBytesMax } from './v2/queries.ts'
import { versionedRoutes } from './v2/routes.ts'

/** Builds the HTTP service; the caller listens, or injects requests. */
export function buildApp(deps: Deps): FastifyInstance {
  const limits = { ...defaultConnectionLimits, ...deps.connections }
  const { writes = new WriteWatch(deps.now) } = deps
  const app = makeServer({
    log: deps.log,
    onRequestEnd(record) {
      if (record.code === 'store_full') writes.noteFailure()
      deps.onRequestEnd?.(record)
    },
    connectionsMax: limits.connectionsMax,
    ...serverOptions(limits, deps.tls),
    // Only the proxy in front of us: a client could claim any address, and so avoid limits by address.
    trustProxy: deps.trustProxy === true ? (_address: string, hop: number) => hop === 0 : false,
    bodyLimit: queryBytesMax,
    ajv: { customOptions: { removeAdditional: false, coerceTypes: false, allErrors: true, verbose: true } },
    clientErrorHandler: answerClientError,
  })
  followExchanges(app)
  // Behind a proxy, all connections come from its address.
  if (deps.trustProxy !== true) limitConnectionsByAddress(app, limits.connectionsPerAddressMax)
  app.addHook('onSend', (_request, reply, _payload, done) => {
    // From now on bytes must move. When the answer has ended, the server's own timeouts apply again.
    reply.raw.setTimeout(limits.idleMs, () => reply.raw.destroy())
    done()
  })
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    // Fastify takes the host from it behind a proxy, but most proxies pass on what a client has sent.
    delete raw.headers['x-forwarded-host']
    done()
  })
  if (deps.tls) {
    app.addHook('onRequest', (_request, reply, done) => {
      reply.header('strict-transport-security', `max-age=${365 * 24 * 60 * 60}`)
      done()
    })
  }
  app.decorateRequest('account')
  app.decorateRequest('session')
  app.decorateRequest('membership')
  app.removeContentTypeParser('text/plain')
  parseJson(app)
  // In a scope of its own, so that requests to unknown paths of a version need a key and are counted.
  app.register(async (scope) => refuseUnknownPaths(scope))

  const keys = new KeyVerifier(deps.store, deps.log)
  app.addHook('onClose', () => keys.close())
  const throttle = makeThrottle(refusedLimit, deps.now)
  const services: Services = {
    ...deps,
    writes,
    keys,
    findLoadedDays: rememberLoads(deps.store),
    countRefused: (request) => throttle(originOfRequest(request)),
  }
  for (const routes of [healthRoutes, versionedRoutes, reportRoutes, openapiRoutes, mcpRoutes]) {
    app.register(refuseOtherMethods<Services>(routes), services)
  }
  app.register(refuseOtherMethods(consoleRoutes), { ...services, prefix: '/console/api' })
  app.register(refuseOtherMethods(consolePage), deps)
  return app
}
