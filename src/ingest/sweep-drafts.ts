import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { chunksOf } from '../store/chunks-of.ts'
import type { Store } from '../store/open-store.ts'

const draftsAtOnce = 400

/** Removes the drafts of loads that were killed. */
export async function sweepDrafts(
  { store, draftsFolder }: { readonly store: Store; readonly draftsFolder: string },
  throwIfOver: () => void = () => {},
): Promise<void> {
  // Listed before the loads, so that the folder of a load that begins now is not among them.
  const names = await readdir(draftsFolder).catch(() => [])
  const drafts = names.filter((name) => /^\d{1,15}$/.test(name)).map(Number)
  for (const ids of chunksOf(drafts, draftsAtOnce)) {
    throwIfOver()
    const open = await store
      .selectFrom('loads')
      .select('id')
      .where('id', 'in', ids)
      .where('state', '=', 'loading')
      .execute()
    const isOpen = new Set(open.map(({ id }) => id))
    for (const id of ids) {
      if (!isOpen.has(id)) await rm(join(draftsFolder, String(id)), { recursive: true, force: true })
    }
  }
}
