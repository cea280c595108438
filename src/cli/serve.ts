import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { countInMemory, countInStore, noLimits, type RateLimiter } from '../access/rate-limiter.ts'
import { loadDemo } from '../demo/load-demo.ts'
import { openEngine } from '../engine/engine.ts'
import { migrateEngine } from '../engine/migrate.ts'
import { buildApp } from '../http/app.ts'
import { openStore, type Store } from '../store/open-store.ts'
import { describeStart } from './describe-start.ts'
import type { Command } from './command.ts'
import { showProgress } from './progress.ts'
import { describeSettings, readSettings, settingFlags, unknownSettings, type Settings } from './settings.ts'

/** Requests under way may finish for this long after a signal; none is allowed to take longer by default. */
const drainMsMax = 30_000

export const serveCommand: Command = {
  usage: `adcube serve [--demo] [settings]

  --demo                        Fills an empty data folder with three sample publishers
${describeSettings()}

Each flag is an environment variable too: --data-dir is ADCUBE_DATA_DIR. What may hold a password is one only.`,
  options: { demo: { type: 'boolean' }, ...settingFlags },

  async run(flags) {
    const settings = readSettings(process.env, flags)
    const log = pino({ level: settings.logLevel, base: null }, pino.destination({ fd: 2, sync: true }))
    for (const warning of unknownSettings(process.env)) log.warn(warning)
    if (!settings.hasRateLimits) log.warn('ADCUBE_RATE_LIMITS is off: any account may ask as often as it likes')

    // What is open is closed in the reverse order, whenever the signal comes.
    const closers: (() => Promise<unknown>)[] = []
    const stopped = new Promise<void>((resolve) => {
      let isStopping = false
      const stop = (signal: NodeJS.Signals): void => {
        // Whoever asks twice does not want to wait; the engine ends by itself when we are gone.
        if (isStopping) process.exit(1)
        isStopping = true
        log.info({ signal }, 'stopping')
        resolve()
      }
      process.on('SIGTERM', stop).on('SIGINT', stop).on('SIGHUP', stop)
    })

    const start = async (): Promise<void> => {
      const tls = settings.tls && {
        cert: await readFile(settings.tls.certFile),
        key: await readFile(settings.tls.keyFile),
      }
      const store = await openStore({ folder: settings.dataDir, databaseUrl: settings.databaseUrl })
      closers.unshift(() => store.destroy())
      const engine = await openEngine({
        folder: join(settings.dataDir, 'engine'),
        node: settings.engineNode,
        url: settings.clickhouseUrl,
        readerUrl: settings.clickhouseReaderUrl,
        log,
      })
      closers.unshift(() => engine.close())
      await migrateEngine(engine, log)
      const deps = { engine, store, log, now: Date.now }
      const isDemo =
        flags.demo === true && (await loadDemo(deps, { days: settings.demoDays, onProgress: showProgress }))
      const app = buildApp({
        ...deps,
        rateLimiter: chooseLimiter(store, settings),
        trustProxy: settings.trustProxy,
        tls,
        readLimits: {
          secondsMax: settings.querySeconds,
          threadsMax: settings.queryThreads,
          memoryBytesMax: settings.queryMemoryMb * 1024 * 1024,
        },
      })
      closers.unshift(() => drain(app))
      const url = await app.listen({ host: settings.host, port: settings.port }).catch(explainListen)
      process.stdout.write(await describeStart(store, { url, isDemo, now: Date.now() }))
    }

    const started = start()
    try {
      await Promise.race([stopped, started.then(() => stopped)])
    } finally {
      // A start that was stopped half-way fails because of that, and is nobody's error any more.
      started.catch(() => {})
      for (const close of closers) await close()
    }
    // Whatever a start that was stopped half-way still waits for is not waited for.
    process.exit(0)
  },
}

function chooseLimiter(store: Store, { hasRateLimits, databaseUrl }: Settings): RateLimiter {
  if (!hasRateLimits) return noLimits
  return databaseUrl === undefined ? countInMemory() : countInStore(store)
}

function explainListen(error: NodeJS.ErrnoException): never {
  if (error.code !== 'EADDRINUSE') throw error
  throw new Error('The port is taken by another program; choose one with --port or ADCUBE_PORT.', { cause: error })
}

async function drain(app: FastifyInstance): Promise<void> {
  const timer = new AbortController()
  await Promise.race([app.close(), delay(drainMsMax, undefined, { signal: timer.signal }).catch(() => {})])
  timer.abort()
  app.server.closeAllConnections()
}
