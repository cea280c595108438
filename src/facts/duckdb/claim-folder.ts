import { randomUUID } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Makes a folder of facts ours, or finds that it is: facts are known by the numbers of their loads, which only the
 * control data can tell apart. Two sets of control data on one folder would show each other's facts.
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

/** Whose the facts in a folder are; undefined where there are none. */
export const readOwner = (root: string): Promise<string | undefined> => read(ownerFile(root))

const ownerFile = (root: string): string => join(root, 'owner')

async function claim(file: string, owner: string): Promise<string | undefined> {
  const draft = `${file}-${randomUUID()}`
  await writeFile(draft, owner, { mode: 0o600, flush: true })
  // A link fails where the name exists, so that of two who come at once one is the owner, with a whole file.
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
