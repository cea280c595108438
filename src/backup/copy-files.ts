import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { syncFolder, syncTree } from '../facts/sync-tree.ts'
import type { Store } from '../store/open-store.ts'
import { listFiles, type Group, type Place } from './list-files.ts'
import { FileDamaged, putFile, type Wanted } from './put-file.ts'

type Options = {
  /** Names all files that are copied. */
  readonly store: Store
  /** Names those that are there already, from an earlier copy. */
  readonly before: Store | undefined
  /** A link costs no space, but what damages one file damages both. */
  readonly mayLink: boolean
  /** For copies until they are whole, on the file system of the target. */
  readonly draftsFolder: string
  readonly signal: AbortSignal
  /** Told of each file that is where it should be. */
  readonly onFile: (target: string) => void
}

export type Copied = {
  /** How many files had to be linked or copied. */
  readonly put: number
  /** Facts that are missing, or not of the size that was loaded. */
  readonly damaged: readonly string[]
  /** The names of reports that are missing: their accounts may have removed them a moment ago. */
  readonly missingReports: readonly string[]
}

const filesAtOnce = 8

/** Copies all files that the control data names from one place to another, durably. */
export async function copyFiles(from: Place, to: Place, options: Options): Promise<Copied> {
  const damaged: string[] = []
  const missingReports: string[] = []
  let put = 0
  for await (const group of listFiles(options, from, to)) {
    const outcome = await putGroup(group, options)
    if (outcome.put > 0) await syncTree(group.folder)
    put += outcome.put
    const sources = outcome.unusable.map(({ source }) => source)
    if (group.kind === 'load') damaged.push(...sources)
    if (group.kind === 'reports') missingReports.push(...sources.map((source) => basename(source)))
  }
  const facts = join(to.folder, 'facts')
  for (const name of await readdir(facts)) await syncFolder(join(facts, name))
  await syncFolder(facts)
  await syncFolder(to.folder)
  return { put, damaged, missingReports }
}

async function putGroup({ files }: Group, { mayLink, draftsFolder, signal, onFile }: Options) {
  const unusable: Wanted[] = []
  const next = files.values()
  let put = 0
  const work = async (_: unknown, worker: number): Promise<void> => {
    const draft = join(draftsFolder, `copy-${worker}`)
    for (const file of next) {
      signal.throwIfAborted()
      try {
        if (await putFile(file, { mayLink, draft })) put++
        onFile(file.target)
      } catch (error) {
        if (!(error instanceof FileDamaged)) throw error
        unusable.push(file)
      }
    }
  }
  // Nobody may take the folders away while another is still writing.
  for (const outcome of await Promise.allSettled(Array.from({ length: filesAtOnce }).map(work))) {
    if (outcome.status === 'rejected') throw outcome.reason
  }
  return { put, unusable }
}
