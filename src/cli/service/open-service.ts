import type { Logger } from 'pino'
import { keepHouse } from '../../chores/keep-house.ts'
import { listChores } from '../../chores/list-chores.ts'
import { dayMs } from '../../query/day.ts'
import { openFolderStorage } from '../../reports/folder-storage.ts'
import { ReportWorkers } from '../../reports/workers.ts'
import { openData } from '../open-data.ts'
import type { Settings } from '../settings.ts'
import { openMetrics } from './open-metrics.ts'

export type Service = Awaited<ReturnType<typeof openService>>

/** Opens what servers and workers need. */
export async function openService(settings: Settings, log: Logger, opened: AsyncDisposableStack) {
  const common = {
    ...(await openData(settings, log, opened)),
    log,
    now: Date.now,
    freeBytesMin: settings.exportFreeMb * 2 ** 20,
    keepMs: settings.reportDays * dayMs,
  }
  return { ...common, ...(await openMetrics(settings, common, opened)) }
}

/** Starts to make reports and to do the chores. */
export async function startBackground(service: Service, settings: Settings, opened: AsyncDisposableStack) {
  const storage = await openFolderStorage(settings.reports)
  const { freeBytesMin, keepMs } = service
  const workers = new ReportWorkers({ ...service, storage }, { slots: settings.exports, freeBytesMin, keepMs })
  await service.listen({ ...service, workers })
  workers.start()
  opened.defer(() => workers.stop())
  const chores = keepHouse(service, listChores({ ...service, storage }))
  opened.defer(() => chores.stop())
  return { storage, workers }
}
