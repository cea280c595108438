import { randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncFolder } from './sync-tree.ts'

/** The file that names the owner of a folder: a secret of the control data. */
const ownerFile = (folder: string): string => join(folder, 'owner')

/** Records the owner of a folder that has none, and returns the owner. */
export async function claimFolder(folder: string, owner: string): Promise<string | undefined> {
  const isNew = (await mkdir(folder, { recursive: true, mode: 0o700 })) !== undefined
  if (isNew) await syncFolder(dirname(folder))
  return (await readOwner(folder)) ?? (await recordOwner(folder, owner))
}

/** Returns undefined for a folder without an owner. */
export async function readOwner(folder: string): Promise<string | undefined> {
  return readFile(ownerFile(folder), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    return undefined
  })
}

async function recordOwner(folder: string, owner: string): Promise<string | undefined> {
  const draft = `${ownerFile(folder)}-${randomUUID()}`
  await writeFile(draft, owner, { mode: 0o600, flush: true })
  // Only one link can be made, and its file is complete: of two processes that start together, one is the owner.
  await link(draft, ownerFile(folder)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await rm(draft)
  return readOwner(folder)
}
