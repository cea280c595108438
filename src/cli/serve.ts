import { readFile } from 'node:fs/promises'
import { pino, type Logger } from 'pino'
import { keepHouse } from '../chores/keep-house.ts'
import { listChores } from '../chores/list-chores.ts'
import { loadDemo } from '../demo/load-demo.ts'
import type { LoadDeps } from '../ingest/load-facts.ts'
import { openFolderStorage } from '../reports/folder-storage.ts'
import { ReportWorkers } from '../reports/workers.ts'
import { describeStart } from './describe-start.ts'
import { openData } from './open-data.ts'
import { openMetrics } from './open-metrics.ts'
import { showProgress } from './progress.ts'
import { serveHttp } from './serve-http.ts'
import { demandSafeHost, readSettings, unknownSettings, type Settings } from './settings.ts'
import { untilStopped, type Closers } from './until-stopped.ts'
import { workerSettings } from './worker-settings.ts'

/** Lines are collected and written in the background, so that a slow reader of the log delays no request. */
const logDestination = { fd: 2, sync: false, minLength: 4_096, periodicFlush: 100, maxLength: 2 ** 24 }

export async function serveCommand(flags: Readonly<Record<string, unknown>>): Promise<number> {
  const settings = readSettings(process.env, flags)
  demandSafeHost(settings)
  const log = pino({ level: settings.logLevel, base: null }, pino.destination(logDestination))
  for (const warning of unknownSettings(process.env)) log.warn(warning)
  if (!settings.hasRateLimits) log.warn('ADCUBE_RATE_LIMITS is off: requests are not limited')

  return untilStopped(log, async (closers) => {
    const tls = settings.tls && {
      cert: await readFile(settings.tls.certFile),
      key: await readFile(settings.tls.keyFile),
    }
    const data = await openData(settings, log, closers)
    const { store } = data
    const metrics = await openMetrics(settings, { ...data, log, now: Date.now }, closers)
    const deps = { ...data, facts: metrics.facts, log, now: Date.now }
    const isDemo = flags.demo === true && (await makeDemo(deps, closers, newestDays(settings), showProgress()))
    await metrics.facts.start()
    const storage = await openFolderStorage(settings.reportsFolder)
    const making = workerSettings(settings)
    const workers = new ReportWorkers({ ...deps, storage }, making)
    await metrics.listen({ ...deps, workers })
    workers.start()
    closers.unshift(() => workers.stop())
    const house = keepHouse(deps, listChores({ ...deps, storage, keepMs: making.keepMs }))
    closers.unshift(() => house.stop())
    const { onAnswer, onRequestEnd } = metrics
    const url = await serveHttp(settings, { ...deps, storage, workers, tls, onAnswer, onRequestEnd }, closers)
    process.stdout.write(await describeStart(store, { url, isDemo, now: Date.now() }))
    if (isDemo) makeOlderDemo(deps, closers, settings)
  })
}

/** Where the data folder is new, these are made before the service is ready, and all older ones beside it. */
const demoDaysAtStart = 62

const newestDays = ({ demoDays = demoDaysAtStart }: Settings): number => Math.min(demoDays, demoDaysAtStart)

/** A signal that comes meanwhile stops it, and waits until it has cleared away what it was making. */
async function makeDemo(
  deps: LoadDeps,
  closers: Closers,
  days: number | undefined,
  onProgress: (share: number) => void,
  stop = new AbortController(),
): Promise<boolean> {
  const made = loadDemo(deps, { days, signal: stop.signal, onProgress })
  closers.unshift(async () => {
    stop.abort(new Error('The server was stopped.'))
    await made.catch(() => {})
  })
  return made
}

function makeOlderDemo(deps: LoadDeps & { readonly log: Logger }, closers: Closers, { demoDays }: Settings): void {
  const { log } = deps
  let quarters = -1
  const onProgress = (share: number): void => {
    if (Math.floor(4 * share) <= quarters) return
    quarters = Math.floor(4 * share)
    log.info({ percent: 25 * quarters }, 'creating older sample data')
  }
  const stop = new AbortController()
  makeDemo(deps, closers, demoDays, onProgress, stop).catch((err: unknown) => {
    // Whoever stops the server knows why.
    if (stop.signal.aborted) return
    log.error({ err }, 'older sample data could not be created; the next start tries again')
  })
}
