import type { Command } from '@commander-js/extra-typings'
import { join, resolve } from 'node:path'
import { examples, withDetails } from '../command.ts'
import { dataDir, json } from '../options.ts'
import { abortOnInterrupt } from '../interrupt.ts'
import { requireFolders } from '../local-folders.ts'
import { formatCount, note, print } from '../output.ts'
import { openProgress } from '../progress-bar.ts'
import { readSettings } from '../settings.ts'

export const define = (command: Command) =>
  withDetails(
    command,
    'The data folder must be empty or missing. Loads that were running during the backup end as failed; unfinished ' +
      'reports are made again. Never run the restored installation and the original on the same reports folder or ' +
      'ClickHouse.',
  )
    .argument('<folder>', 'Folder of the backup')
    .addOption(dataDir)
    .addHelpText('after', examples('adcube restore /backups/adcube --data-dir restored'))
    .addOption(json)
    .action(async (name, flags) => {
      const { restore } = await import('../../backup/restore.ts')
      const { folder, reportsFolder } = requireFolders(readSettings(process.env, flags))
      const signal = abortOnInterrupt('Interrupted; nothing was restored.')
      using bar = openProgress(flags)
      const onProgress = (share: number): void => bar.show({ step: 'Copying', share })
      const files = await restore(resolve(name), folder, { signal, onProgress })
      bar.end()
      print(flags, { folder, files }, `Restored ${formatCount(files)} files to ${folder}\n`)
      const ownReports = join(folder, 'reports')
      if (reportsFolder !== ownReports) note(flags, `Move the reports from ${ownReports} to ${reportsFolder}.`)
      note(flags, `Now run: adcube verify --data-dir ${folder}`)
    })
