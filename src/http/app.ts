import { randomUUID } from 'node:crypto'
import fastify, { LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import { Throttle } from '../access/throttle.ts'
import { KeyVerifier } from '../access/verify-key.ts'
import { answerClientError, answerError, answerNotFound, setCommonHeaders } from './edge/errors.ts'
import { defaultConnectionLimits, serverOptions } from './edge/connections.ts'
import { followExchanges } from './edge/exchanges.ts'
import { consolePage } from './console/console-page.ts'
import { consoleRoutes } from './console/routes.ts'
import { queryBytesMax } from './v2/demand-query.ts'
import { healthRoutes } from './edge/health-routes.ts'
import { noticeHangUp } from './edge/hang-up.ts'
import { makeRecorder, recordRequests } from './edge/record-requests.ts'
import { rememberLoads } from '../store/remember-loads.ts'
import { refuseOtherMethods } from './edge/refuse-other-methods.ts'
import { openapiRoutes } from './openapi/openapi-routes.ts'
import { mcpRoutes } from './mcp-routes.ts'
import { reportRoutes } from './reports/report-routes.ts'
import type { Deps, Services } from './services.ts'
import { versionedRoutes } from './v2/versioned-routes.ts'

/** Enough for a script whose key has just expired, or a person who mistypes; not for a flood. */
const strangersAllowance = { burst: 60, refillMs: 1_000 }

/** Builds the HTTP service; the caller listens, or injects requests. */
export function buildApp(deps: Deps): FastifyInstance {
  const log: FastifyBaseLogger = deps.log
  const limits = { ...defaultConnectionLimits, ...deps.connections }
  const record = makeRecorder(deps.onRequestEnd)
  const app = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    ...serverOptions(limits, deps.tls),
    // The one in front of us, and not what the caller tells it: whoever is slowed down could claim another address.
    trustProxy: deps.trustProxy === true ? (_address: string, hop: number) => hop === 0 : false,
    bodyLimit: queryBytesMax,
    // Names that would poison a careless merge are unknown fields like any other to us.
    onProtoPoisoning: 'ignore',
    onConstructorPoisoning: 'ignore',
    ajv: { customOptions: { removeAdditional: false, coerceTypes: false, allErrors: true, verbose: true } },
    return503OnClosing: false,
    // A caller's own id could name two requests, and so two queries, alike.
    requestIdHeader: false,
    genReqId: () => `req_${randomUUID().replaceAll('-', '')}`,
    clientErrorHandler: answerClientError,
    // An address that cannot be read never gets as far as the hooks.
    frameworkErrors: (error, request, reply) => {
      record(request, reply)
      answerError(error, request, reply)
    },
  })

  app.server.maxConnections = limits.connectionsMax
  recordRequests(app, record)
  app.addHook('onRequest', noticeHangUp)
  app.addHook('onRequest', (request, reply, done) => {
    setCommonHeaders(request, reply)
    done()
  })
  followExchanges(app)
  app.addHook('onSend', (_request, reply, _payload, done) => {
    // From here on its bytes must move. When it has ended, the server's own limits hold again.
    reply.raw.setTimeout(limits.idleMs, () => reply.raw.destroy())
    done()
  })
  app.decorateRequest('hangUp')
  app.decorateRequest('account')
  app.decorateRequest('session')
  app.removeContentTypeParser('text/plain')
  app.setErrorHandler(answerError)
  app.setNotFoundHandler(answerNotFound)

  const keys = new KeyVerifier(deps.store, deps.log)
  app.addHook('onClose', () => keys.close())
  const services: Services = {
    ...deps,
    keys,
    findLoadedDays: rememberLoads(deps.store),
    strangers: new Throttle(strangersAllowance),
  }
  app.register(refuseOtherMethods(healthRoutes), services)
  app.register(refuseOtherMethods(versionedRoutes), services)
  app.register(refuseOtherMethods(reportRoutes), services)
  app.register(refuseOtherMethods(openapiRoutes), services)
  app.register(refuseOtherMethods(mcpRoutes), services)
  app.register(refuseOtherMethods(consoleRoutes), { ...services, prefix: '/console/api' })
  app.register(refuseOtherMethods(consolePage), deps)
  return app
}
