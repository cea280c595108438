import { resolve } from 'node:path'
import { backUp } from '../backup/back-up.ts'
import { onInterrupt } from './interruption.ts'
import { demandLocal } from './local-folders.ts'
import { print, tell } from './output.ts'
import { ProgressBar } from './progress-bar.ts'
import { readSettings } from './settings.ts'
import { withStore, type StoreFlags } from './with-store.ts'

export async function backupCommand(flags: StoreFlags, name: string): Promise<number> {
  const from = demandLocal(readSettings(process.env, flags))
  const folder = resolve(name)
  const signal = onInterrupt('Interrupted; an earlier backup in the folder is as it was.')
  const bar = new ProgressBar(process.stderr, Date.now)
  return withStore(flags, async (store) => {
    try {
      const { files, added, removed } = await backUp(store, from, folder, {
        signal,
        now: Date.now,
        onProgress: (share) => flags.json !== true && bar.show({ step: 'Copying', share }),
        onWait: () => tell(flags, 'Waiting for another process that deletes old facts or makes a backup'),
      })
      bar.end()
      const words = [files, added, removed].map((count) => count.toLocaleString('en-US'))
      const text = `Backup in ${folder}: ${words[0]} files, of which ${words[1]} are new; ${words[2]} old ones removed\n`
      print(flags, { folder, files, added, removed }, text)
      return 0
    } finally {
      bar.end()
    }
  })
}
