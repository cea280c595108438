import type { Logger } from 'pino'
import { runChores } from '../../chores/run-chores.ts'
import { listChores } from '../../chores/list-chores.ts'
import { dayMs } from '../../query/day.ts'
import { openFolderStorage } from '../../reports/storage.ts'
import { dropImpossibleLeases } from '../../store/hold-lease.ts'
import { ReportWorkers } from '../../reports/workers.ts'
import { WriteWatch } from '../../store/write-watch.ts'
import { openData } from '../open-data.ts'
import type { Settings } from '../settings.ts'
import type { Metrics } from './open-metrics.ts'

/** Opens what servers and workers need. */
export async function openService(settings: Settings, log: Logger, opened: AsyncDisposableStack) {
  const data = await openData(settings, log, opened)
  const service = {
    ...data,
    log,
    writes: new WriteWatch(data.now),
    freeBytesMin: settings.exportFreeMb * 2 ** 20,
    keepMs: settings.reportDays * dayMs,
  }
  let metrics: Partial<Metrics> = {}
  if (settings.metricsPort !== undefined) {
    const { openMetrics } = await import('./open-metrics.ts')
    metrics = openMetrics(settings, service)
  }
  return { ...service, ...metrics }
}

export type Service = Awaited<ReturnType<typeof openService>>
export type Background = Awaited<ReturnType<typeof startBackground>>

/** Starts the metrics, reports and chores. */
export async function startBackground(service: Service, settings: Settings, opened: AsyncDisposableStack) {
  const storage = await openFolderStorage(settings.reports, service.owner)
  const { buildMetricsApp, freeBytesMin, keepMs } = service
  const workers = new ReportWorkers({ ...service, storage }, { slots: settings.exports, freeBytesMin, keepMs })
  const { metricsHost: host, metricsPort: port } = settings
  if (buildMetricsApp && port !== undefined) {
    const app = buildMetricsApp({ ...service, workers })
    opened.defer(() => app.close())
    const listenTextResolver = (address: string): string => `Metrics at ${address}`
    const explain = explainListen('metrics port', 'ADCUBE_METRICS_PORT')
    await app.listen({ host, port, listenTextResolver }).catch(explain)
  }
  workers.start()
  opened.defer(() => workers.stop())
  await dropImpossibleLeases(service.store, service.now())
  const list = listChores({ ...service, storage })
  const onChoreFailed = service.countChores?.(list.map(({ name }) => name))
  const chores = runChores({ ...service, onChoreFailed }, list)
  opened.defer(() => chores.stop())
  return { storage, workers }
}

/** Explains that a port is in use. */
export const explainListen =
  (port: string, setting: string) =>
  (error: NodeJS.ErrnoException): never => {
    if (error.code !== 'EADDRINUSE') throw error
    throw new Error(`The ${port} is in use by another program. Choose another one with ${setting}.`, { cause: error })
  }
