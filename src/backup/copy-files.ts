import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { inParallel } from '../concurrency/in-parallel.ts'
import { syncFolder, syncTree } from '../facts/sync-tree.ts'
import { countReports } from '../reports/stored-reports.ts'
import { listFiles, type DataFolders, type Stores } from './list-files.ts'
import { putFile } from './put-file.ts'
import { countVisibleDays } from './visible-days.ts'

type Options = Stores & {
  /** A link takes no space, but damage to one file damages both. */
  readonly mayLink: boolean
  /** Holds copies until they are complete; on the file system of the target. */
  readonly draftsFolder: string
  readonly signal: AbortSignal
  /** Called for each file that is in place, with the share of all files that are. */
  readonly onFile: (target: string, share: number) => void
}

const filesAtOnce = 8

/** Copies all files that the control data name from one place to another, durably. */
export async function copyFiles(from: DataFolders, to: DataFolders, options: Options) {
  const { store, mayLink, draftsFolder, signal, onFile } = options
  const all = (await countVisibleDays(store)) + (await countReports(store))
  /** Fact files that are missing or have the wrong size. */
  const damaged: string[] = []
  /** The names of missing reports, which their accounts may have just removed. */
  const missingReports: string[] = []
  let files = 0
  /** The number of files that had to be linked or copied. */
  let put = 0
  for await (const { kind, folder, files: wanted } of listFiles(options, from, to)) {
    const before = put
    await inParallel(wanted, filesAtOnce, async (file, worker) => {
      signal.throwIfAborted()
      const outcome = await putFile(file, { mayLink, draft: join(draftsFolder, `copy-${worker}`) })
      if (outcome === 'put') put++
      if (outcome !== 'damaged') return onFile(file.target, Math.min(1, ++files / all))
      // A missing merged file is no damage: its facts are in the files of the loads.
      if (kind === 'load') damaged.push(file.source)
      if (kind === 'reports') missingReports.push(basename(file.source))
    })
    if (put > before) await syncTree(folder)
  }
  const facts = join(to.folder, 'facts')
  for (const name of await readdir(facts)) await syncFolder(join(facts, name))
  await syncFolder(facts)
  await syncFolder(to.folder)
  return { files, put, damaged, missingReports }
}
