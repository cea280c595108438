import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { listLoadsUnderWay } from '../store/loads.ts'
import type { Store } from '../store/open-store.ts'

/** Removes what loaders leave behind when they are killed. */
export async function sweepDrafts({
  store,
  draftsFolder,
}: {
  readonly store: Store
  readonly draftsFolder: string
}): Promise<void> {
  // Listed before the loads: a folder that is made meanwhile is not among them.
  const names = await readdir(draftsFolder).catch(() => [])
  const drafts = names.filter((name) => /^\d+$/.test(name))
  if (drafts.length === 0) return
  const underWay = await listLoadsUnderWay(store)
  for (const name of drafts.filter((each) => !underWay.has(Number(each)))) {
    await rm(join(draftsFolder, name), { recursive: true, force: true })
  }
}
