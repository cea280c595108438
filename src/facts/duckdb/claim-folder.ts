import { randomUUID } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Records the owner of a folder of facts, or checks that the owner is the same. Loads have numbers that are unique only
 * within one control database: with two of them, each would show the facts of the other.
 */
export async function claimFolder(root: string, owner: string): Promise<void> {
  const file = ownerFile(root)
  const found = (await read(file)) ?? (await claim(file, owner))
  if (found === owner) return
  throw new Error(
    `The facts in ${root} belong to other control data: set ADCUBE_DATA_DIR and ADCUBE_DATABASE_URL to the ones that ` +
      'go together, or start with an empty folder.',
  )
}

/** Returns undefined for a folder without facts. */
export const readOwner = (root: string): Promise<string | undefined> => read(ownerFile(root))

const ownerFile = (root: string): string => join(root, 'owner')

async function claim(file: string, owner: string): Promise<string | undefined> {
  const draft = `${file}-${randomUUID()}`
  await writeFile(draft, owner, { mode: 0o600, flush: true })
  // Only one link can be made, and its file is complete: of two processes that start together, one is the owner.
  await link(draft, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await rm(draft)
  return read(file)
}

const read = (file: string): Promise<string | undefined> =>
  readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    return undefined
  })
