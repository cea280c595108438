import { setTimeout as delay } from 'node:timers/promises'
import { Server as TlsServer } from 'node:tls'
import type { FastifyInstance } from 'fastify'
import { countInStore } from '../../access/count-in-store.ts'
import { countInMemory, noLimits, type RateLimiter } from '../../access/rate-limiter.ts'
import { rememberAnswers } from '../../facts/remember-answers.ts'
import { buildApp } from '../../http/app.ts'
import type { Store } from '../../store/open-store.ts'
import { findSecret } from '../../store/secrets.ts'
import type { Settings } from '../settings.ts'
import type { Certificate } from './certificate.ts'
import { explainListen, type Background, type Service } from './open-service.ts'

type Parts = Service & Background & { readonly certificate: Certificate | undefined }

/** Requests in flight may finish for this long after a signal; a download that is cut off can be resumed. */
const drainMsMax = 30_000

/** Answers HTTP requests; returns the address. */
export async function serveHttp(settings: Settings, parts: Parts, opened: AsyncDisposableStack): Promise<string> {
  const { store, facts, onAnswer, certificate } = parts
  const app = buildApp({
    ...parts,
    facts: rememberAnswers(facts, { bytesMax: settings.cacheMb * 2 ** 20, onAnswer }),
    rateLimiter: chooseLimiter(store, settings),
    linkSecret: await findSecret(store, 'download-links'),
    publicUrl: settings.publicUrl,
    tls: certificate?.pair,
    exportMsMax: settings.exportMinutes * 60_000,
    trustProxy: settings.trustProxy,
    allowedOrigins: settings.allowedOrigins,
    connections: { connectionsPerAddressMax: settings.addressConnections },
  })
  opened.defer(() => drain(app))
  certificate?.onChange((pair) => {
    if (app.server instanceof TlsServer) app.server.setSecureContext(pair)
  })
  const explain = explainListen('port', '--port or ADCUBE_PORT')
  return app.listen({ host: settings.host, port: settings.port }).catch(explain)
}

function chooseLimiter(store: Store, { rateLimits, databaseUrl }: Settings): RateLimiter {
  if (!rateLimits) return noLimits
  return databaseUrl === undefined ? countInMemory() : countInStore(store)
}

async function drain(app: FastifyInstance): Promise<void> {
  const timer = new AbortController()
  await Promise.race([app.close(), delay(drainMsMax, undefined, { signal: timer.signal }).catch(() => {})])
  timer.abort()
  app.server.closeAllConnections()
}
