import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Removes all files below a folder but those to keep, and the folders that have none left. */
export async function removeOthers(folder: string, keep: ReadonlySet<string>): Promise<number> {
  let removed = 0
  const clear = async (current: string): Promise<boolean> => {
    let isEmpty = true
    for (const entry of await readdir(current, { withFileTypes: true })) {
      const path = join(current, entry.name)
      if (entry.isDirectory()) {
        if (await clear(path)) await rm(path, { recursive: true })
        else isEmpty = false
      } else if (keep.has(path)) isEmpty = false
      else {
        await rm(path)
        removed++
      }
    }
    return isEmpty
  }
  await clear(folder)
  return removed
}
