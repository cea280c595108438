import { join } from 'node:path'
import { pino } from 'pino'
import { openEngine } from '../engine/engine.ts'
import { openFolderStorage } from '../reports/folder-storage.ts'
import { ReportWorkers } from '../reports/workers.ts'
import { openStore } from '../store/open-store.ts'
import type { Command } from './command.ts'
import { describeSettings, readSettings, SettingsError, settingFlags, unknownSettings } from './settings.ts'
import { untilStopped } from './until-stopped.ts'
import { workerSettings } from './worker-settings.ts'

export const workerCommand: Command = {
  usage: `adcube worker [settings]

Shares the jobs of the servers that use the same control data, reports folder and ClickHouse. A private engine has one
process only: beside a server, give both ADCUBE_CLICKHOUSE_URL.

${describeSettings()}`,
  options: settingFlags,

  async run(flags) {
    const settings = readSettings(process.env, flags)
    if (settings.exports === 0) throw new SettingsError(['ADCUBE_EXPORTS is 0: a worker would have nothing to do.'])
    const log = pino({ level: settings.logLevel, base: null }, pino.destination({ fd: 2, sync: true }))
    for (const warning of unknownSettings(process.env)) log.warn(warning)
    return untilStopped(log, async (closers) => {
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
      const storage = await openFolderStorage(settings.reportsFolder)
      const workers = new ReportWorkers({ engine, store, storage, log, now: Date.now }, workerSettings(settings))
      workers.start()
      closers.unshift(() => workers.stop())
      log.info({ exports: settings.exports }, 'working')
    })
  },
}
