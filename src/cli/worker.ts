import { pino } from 'pino'
import { keepHouse } from '../chores/keep-house.ts'
import { listChores } from '../chores/list-chores.ts'
import { openFolderStorage } from '../reports/folder-storage.ts'
import { ReportWorkers } from '../reports/workers.ts'
import { openData } from './open-data.ts'
import { openMetrics } from './open-metrics.ts'
import { readSettings, SettingsError, unknownSettings } from './settings.ts'
import { untilStopped } from './until-stopped.ts'
import { workerSettings } from './worker-settings.ts'

export async function workerCommand(flags: Readonly<Record<string, unknown>>): Promise<number> {
  const settings = readSettings(process.env, flags)
  if (settings.exports === 0) throw new SettingsError(['ADCUBE_EXPORTS is 0, so a worker would have nothing to do.'])
  const log = pino({ level: settings.logLevel, base: null }, pino.destination({ fd: 2, sync: true }))
  for (const warning of unknownSettings(process.env)) log.warn(warning)
  return untilStopped(log, async (closers) => {
    const data = await openData(settings, log, closers)
    const metrics = await openMetrics(settings, { ...data, log, now: Date.now }, closers)
    const storage = await openFolderStorage(settings.reportsFolder)
    const deps = { ...data, facts: metrics.facts, storage, log, now: Date.now }
    const making = workerSettings(settings)
    const workers = new ReportWorkers(deps, making)
    await metrics.listen({ ...deps, workers })
    workers.start()
    closers.unshift(() => workers.stop())
    const house = keepHouse(deps, listChores({ ...deps, keepMs: making.keepMs }))
    closers.unshift(() => house.stop())
    log.info({ exports: settings.exports }, 'working')
  })
}
