import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { inParallel } from '../concurrency/in-parallel.ts'
import { syncFolder, syncTree } from '../facts/sync-tree.ts'
import type { Store } from '../store/open-store.ts'
import { listFiles, type DataFolders } from './list-files.ts'
import { putFile } from './put-file.ts'

type Options = {
  /** Names all files to copy. */
  readonly store: Store
  /** Names the files of an earlier copy. */
  readonly before: Store | undefined
  /** A link takes no space, but damage to one file damages both. */
  readonly mayLink: boolean
  /** Holds copies until they are complete; on the file system of the target. */
  readonly draftsFolder: string
  readonly signal: AbortSignal
  /** Called for each file that is in place. */
  readonly onFile: (target: string) => void
}

type Copied = {
  /** The number of files that had to be linked or copied. */
  readonly put: number
  /** Fact files that are missing or have the wrong size. */
  readonly damaged: readonly string[]
  /** The names of missing reports, which their accounts may have just removed. */
  readonly missingReports: readonly string[]
}

const filesAtOnce = 8

/** Copies all files that the control data name from one place to another, durably. */
export async function copyFiles(from: DataFolders, to: DataFolders, options: Options): Promise<Copied> {
  const damaged: string[] = []
  const missingReports: string[] = []
  let put = 0
  for await (const { kind, folder, files } of listFiles(options, from, to)) {
    const before = put
    await inParallel(files, filesAtOnce, async (file, worker) => {
      options.signal.throwIfAborted()
      const draft = join(options.draftsFolder, `copy-${worker}`)
      const outcome = await putFile(file, { mayLink: options.mayLink, draft })
      if (outcome === 'put') put++
      if (outcome !== 'damaged') return options.onFile(file.target)
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
  return { put, damaged, missingReports }
}
