import type { Command } from '@commander-js/extra-typings'
import { resolve } from 'node:path'
import { withDetails } from '../command.ts'
import { dataDir, json } from '../options.ts'
import { requireControlData } from '../control-data.ts'
import { abortOnInterrupt } from '../interrupt.ts'
import { requireFolders } from '../local-folders.ts'
import { formatCount, note, print } from '../output.ts'
import { openProgress } from '../progress-bar.ts'
import { readSettings } from '../settings.ts'

export const define = (command: Command) =>
  withDetails(
    command,
    'A backup has the control data as of now, and the facts and reports that belong to them. Servers, workers and loads ' +
      'can keep running. Until an update is complete, the folder remains the earlier backup. On the same file system, ' +
      'files are hard-linked and take no space.',
  )
    .argument('<folder>', 'Folder of the backup')
    .addOption(dataDir)
    .addOption(json)
    .action(async (name, flags) => {
      const [{ backUp }, { connectStore }] = await Promise.all([
        import('../../backup/back-up.ts'),
        import('../../store/open-store.ts'),
      ])
      const from = requireFolders(readSettings(process.env, flags))
      const folder = resolve(name)
      const signal = abortOnInterrupt('Interrupted; an earlier backup in the folder is as it was.')
      await requireControlData(from)
      // A server of an earlier version may be using it, so it is not migrated.
      await using store = await connectStore(from)
      using bar = openProgress(flags)
      const { files, added, removed } = await backUp(store, from, folder, {
        signal,
        now: Date.now,
        onProgress: (share) => bar.show({ step: 'Copying', share }),
        onWait: () => note(flags, 'Waiting for another process that deletes old facts or makes a backup'),
      })
      bar.end()
      const counts = `${formatCount(files)} files, of which ${formatCount(added)} are new; ${formatCount(removed)} old ones removed`
      print(flags, { folder, files, added, removed }, `Backup in ${folder}: ${counts}\n`)
    })
