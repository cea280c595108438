import { join, resolve } from 'node:path'
import { restore } from '../backup/restore.ts'
import { onInterrupt } from './interruption.ts'
import { demandLocal } from './local-folders.ts'
import { print, tell } from './output.ts'
import { ProgressBar } from './progress-bar.ts'
import { readSettings } from './settings.ts'
import type { StoreFlags } from './with-store.ts'

export async function restoreCommand(flags: StoreFlags, name: string): Promise<number> {
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
}
