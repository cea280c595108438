import { open, readdir, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { inParallel } from '../concurrency/in-parallel.ts'

const syncedAtOnce = 16

/** Writes a folder and everything in it to the disk, names included. */
export async function syncTree(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.map((entry) => join(entry.parentPath, entry.name))
  await inParallel([folder, ...paths], syncedAtOnce, syncFolder)
}

/** Writes the names in a folder to the disk. It also works for a file. */
export async function syncFolder(path: string): Promise<void> {
  await using handle = await open(path, 'r')
  await handle.sync()
}

export async function removeIfEmpty(folder: string): Promise<void> {
  await rmdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST' && error.code !== 'ENOENT') throw error
  })
}
