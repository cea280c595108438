import type { Command } from '@commander-js/extra-typings'
import { join, resolve } from 'node:path'
import { examples, withDetails } from '../command.ts'
import { requireControlData } from '../control-data.ts'
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
      'reports are made again; all sessions end. Keys that were deleted after the backup work again: --newer lists them. ' +
      'Never run the restored installation and the original on the same reports folder or ClickHouse.',
  )
    .argument('<folder>', 'Folder of the backup')
    .addOption(dataDir)
    .option(
      '--newer <dir>',
      'Data folder with newer control data; list the rights that were taken away since the backup',
    )
    .addHelpText('after', examples('adcube restore /backups/adcube --data-dir restored --newer data'))
    .addOption(json)
    .action(async (name, flags) => {
      const { restore } = await import('../../backup/restore.ts')
      const { folder, reportsFolder } = requireFolders(readSettings(process.env, flags))
      const signal = abortOnInterrupt('Interrupted; nothing was restored.')
      using bar = openProgress(flags)
      const onProgress = (share: number): void => bar.show({ step: 'Copying', share })
      const newer = flags.newer === undefined ? undefined : resolve(flags.newer)
      if (newer !== undefined) await requireControlData({ folder: newer })
      const { files, revoked } = await restore(resolve(name), folder, { newer, signal, onProgress })
      bar.end()
      const lines = revoked.map(
        ({ at, accountId, action, subject, actor }) =>
          `${new Date(at).toISOString()} ${accountId} ${action} ${subject} (by ${actor})\n`,
      )
      print(
        flags,
        { folder, files, revoked },
        [`Restored ${formatCount(files)} files to ${folder}\n`, ...lines].join(''),
      )
      if (revoked.length > 0)
        note(flags, 'The changes above were made after the backup. Make them again before you start.')
      if (newer === undefined) {
        note(flags, 'Keys that were deleted after the backup work again. With --newer DIR, restore lists them.')
      }
      const ownReports = join(folder, 'reports')
      if (reportsFolder !== ownReports) note(flags, `Move the reports from ${ownReports} to ${reportsFolder}.`)
      note(flags, `Now run: adcube verify --data-dir ${folder}`)
    })
