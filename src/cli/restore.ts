import { join, resolve } from 'node:path'
import { restore } from '../backup/restore.ts'
import type { Command } from './command.ts'
import { onInterrupt } from './interruption.ts'
import { demandLocal } from './local-folders.ts'
import { print, tell } from './output.ts'
import { ProgressBar } from './progress-bar.ts'
import { readSettings } from './settings.ts'
import { storeOptions } from './with-store.ts'

export const restoreCommand: Command = {
  usage: `adcube restore FOLDER [--data-dir DIR] [--json]

Copies the backup in FOLDER into the data folder DIR, which must be empty or not there. Loads that were under way when the
backup was made end as failed; reports that were being made are made again. Never start the restored Adcube beside the
original on the same reports folder or ClickHouse.`,
  options: storeOptions,
  operands: ['FOLDER'],

  async run(flags, name = '') {
    const { folder: dataFolder, reportsFolder } = demandLocal(readSettings(process.env, flags))
    const signal = onInterrupt('Interrupted; nothing was restored.')
    const bar = new ProgressBar(process.stderr, Date.now)
    try {
      const files = await restore(resolve(name), dataFolder, {
        signal,
        onProgress: (share) => flags.json !== true && bar.show({ step: 'Copying', share }),
      })
      bar.end()
      print(flags, { folder: dataFolder, files }, `Restored ${files.toLocaleString('en-US')} files to ${dataFolder}\n`)
      const ownReports = join(dataFolder, 'reports')
      if (reportsFolder !== ownReports) tell(flags, `Move the reports from ${ownReports} to ${reportsFolder}.`)
      tell(flags, `Now run: adcube verify --data-dir ${dataFolder}`)
      return 0
    } finally {
      bar.end()
    }
  },
}
