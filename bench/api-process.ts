/**
 * The API as a process of its own, as in production. `adcube serve` would start an engine of its own whose address
 * nobody else learns; this one is told by its parent where the engine is, so that both sides ask the same. All else is
 * as `serve` has it, down to the log line of each request, which is part of what the API costs.
 */
import { join } from 'node:path'
import { pino } from 'pino'
import { noLimits } from '../src/access/rate-limiter.ts'
import { attachEngine } from '../src/engine/engine.ts'
import type { Endpoint } from '../src/engine/private-engine.ts'
import type { ReadLimits } from '../src/engine/read-rows.ts'
import { buildApp } from '../src/http/app.ts'
import { openBenchReports } from './reports.ts'
import { openStore } from '../src/store/open-store.ts'

/** Holds passwords, so it comes as a message and never as an argument. */
export type ApiStart = {
  readonly storeFolder: string
  readonly endpoint: Endpoint
  readonly readLimits: ReadLimits
  readonly logLevel: string
  /** How many reports it makes at once. */
  readonly exports: number
}

export type ApiReady = { readonly url: string }

async function serve({ storeFolder, endpoint, readLimits, logLevel, exports }: ApiStart): Promise<void> {
  const log = pino({ level: logLevel, base: null }, pino.destination({ fd: 2, sync: true }))
  const store = await openStore({ folder: storeFolder })
  const engine = await attachEngine(endpoint)
  const reports = await openBenchReports(join(storeFolder, 'reports'), { engine, store, log }, exports)
  if (exports > 0) reports.workers.start()
  const app = buildApp({ engine, store, log, now: Date.now, readLimits, rateLimiter: noLimits, ...reports })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const ready: ApiReady = { url }
  process.send?.(ready)
}

// The parent hangs up when it is done, and when it is gone: either way there is nothing left to answer.
process.on('disconnect', () => process.exit(0))
// Ctrl-C reaches the whole process group; the parent decides when we end.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})
process.once('message', (message) => {
  serve(message as ApiStart).catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
    process.exit(1)
  })
})
