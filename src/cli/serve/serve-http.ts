import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { countInStore, noLimits } from '../../access/rate-limiter.ts'
import { rememberAnswers } from '../../facts/remember-answers.ts'
import { buildApp } from '../../http/app.ts'
import type { Deps } from '../../http/services.ts'
import { findSecret } from '../../store/secrets.ts'
import type { Settings } from '../settings.ts'
import type { Closers } from '../until-stopped.ts'
import { workerSettings } from '../worker-settings.ts'
import type { SharedParts } from './shared-parts.ts'

type Parts = SharedParts & Pick<Deps, 'store' | 'storage' | 'log' | 'tls'>

/** Requests under way may finish for this long after a signal; a download that is cut off can be resumed. */
const drainMsMax = 30_000

/** Answers HTTP requests in this process, which may be one of several; returns the address. */
export async function serveHttp(settings: Settings, parts: Parts, closers: Closers): Promise<string> {
  const { store, facts, onAnswer } = parts
  const app = buildApp({
    ...parts,
    facts: rememberAnswers(facts, {
      bytesMax: Math.floor((settings.cacheMb * 2 ** 20) / settings.processes),
      onAnswer,
    }),
    rateLimiter: chooseLimiter(parts, settings),
    now: Date.now,
    linkSecret: await findSecret(store, 'download-links'),
    publicUrl: settings.publicUrl,
    exportMsMax: settings.exportMinutes * 60_000,
    keepMs: workerSettings(settings).keepMs,
    trustProxy: settings.trustProxy,
  })
  closers.unshift(() => drain(app))
  return app.listen({ host: settings.host, port: settings.port }).catch(explainListen)
}

function chooseLimiter({ store, rateLimiter }: Parts, { hasRateLimits, databaseUrl }: Settings): Deps['rateLimiter'] {
  if (!hasRateLimits) return noLimits
  return databaseUrl === undefined ? rateLimiter : countInStore(store)
}

function explainListen(error: NodeJS.ErrnoException): never {
  if (error.code !== 'EADDRINUSE') throw error
  throw new Error('The port is in use by another program. Choose another one with --port or ADCUBE_PORT.', {
    cause: error,
  })
}

async function drain(app: FastifyInstance): Promise<void> {
  const timer = new AbortController()
  await Promise.race([app.close(), delay(drainMsMax, undefined, { signal: timer.signal }).catch(() => {})])
  timer.abort()
  app.server.closeAllConnections()
}
