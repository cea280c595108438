import { randomUUID } from 'node:crypto'
import fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyServerOptions,
} from 'fastify'
import { answerError, setCommonHeaders } from './errors.ts'
import { makeRecorder, recordRequests, type RequestRecord } from './request-log.ts'

type Options = FastifyServerOptions & {
  readonly log: FastifyBaseLogger
  readonly connectionsMax: number
  /** Called when a request has ended. */
  readonly onRequestEnd?: ((record: RequestRecord) => void) | undefined
}

/** A server that logs its requests, sets the headers of all answers and answers errors with problems. */
export function makeServer({ log, connectionsMax, onRequestEnd, ...options }: Options): FastifyInstance {
  const record = makeRecorder(onRequestEnd)
  const app = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    return503OnClosing: false,
    // Not the client's own id, which could name two requests, and so two queries, alike.
    requestIdHeader: false,
    genReqId: () => `req_${randomUUID().replaceAll('-', '')}`,
    // A request with an unreadable address does not reach the hooks.
    frameworkErrors: (error, request, reply) => {
      record(request, reply)
      answerError(error, request, reply)
    },
    ...options,
  })
  app.server.maxConnections = connectionsMax
  recordRequests(app, record)
  app.addHook('onRequest', (request, reply, done) => {
    setCommonHeaders(request, reply)
    done()
  })
  app.setErrorHandler(answerError)
  return app
}
