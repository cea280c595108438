import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { findLoadsUnderWay } from '../store/loads.ts'
import type { Store } from '../store/open-store.ts'

const draftsAtOnce = 400

/** Removes what loaders leave behind when they are killed. */
export async function sweepDrafts(
  { store, draftsFolder }: { readonly store: Store; readonly draftsFolder: string },
  throwIfOver: () => void = () => {},
): Promise<void> {
  // Listed before the loads: a folder that is made meanwhile is not among them.
  const names = await readdir(draftsFolder).catch(() => [])
  const drafts = names.filter((name) => /^\d{1,15}$/.test(name)).map(Number)
  for (let start = 0; start < drafts.length; start += draftsAtOnce) {
    throwIfOver()
    const some = drafts.slice(start, start + draftsAtOnce)
    const underWay = await findLoadsUnderWay(store, some)
    for (const load of some) {
      if (!underWay.has(load)) await rm(join(draftsFolder, String(load)), { recursive: true, force: true })
    }
  }
}
