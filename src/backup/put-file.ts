import { constants } from 'node:fs'
import { chmod, copyFile, link, mkdir, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { digestFile } from '../facts/digest-file.ts'

export type Wanted = {
  readonly source: string
  readonly target: string
  /** Of the file, where they are on record. */
  readonly bytes: number | null
  readonly checksum: string | null
  /** Whether the backup that is there has the same file on record, another one under the same name, or none. */
  readonly before: 'same' | 'other' | 'none'
}

export type PutOptions = {
  /** A name for a copy until it is whole, on the file system of the target. */
  readonly draft: string
  /** A link costs no space, but what damages one damages both. */
  readonly mayLink: boolean
}

/** A file to be copied is not there, or is not the one that was loaded. */
export class FileDamaged extends Error {}

/** What a file system says that cannot link these two, or will not. */
const unlinkable: ReadonlySet<unknown> = new Set(['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])

/** Sees to it that a target is the same file as its source; false where it was already. */
export async function putFile(wanted: Wanted, { draft, mayLink }: PutOptions): Promise<boolean> {
  const { source, target, bytes, before } = wanted
  const from = await statIfThere(source)
  if (!from || (bytes !== null && from.size !== bytes)) throw new FileDamaged(source)
  const there = await statIfThere(target)
  if (there) {
    if (before === 'other')
      throw new Error(`The backup has other content under the same name: ${target}. Name another folder.`)
    const isLinked = there.ino === from.ino && there.dev === from.dev
    if (isLinked || (there.size === from.size && (await isTheSame(wanted)))) return false
    await rm(target)
  } else await mkdir(dirname(target), { recursive: true, mode: 0o700 })

  if (mayLink && (await tryLink(source, target))) return true
  // Where the file system can share the blocks of two files, a copy costs nothing either.
  await copyFile(source, draft, constants.COPYFILE_FICLONE)
  await chmod(draft, 0o600)
  await rename(draft, target)
  return true
}

/** What the earlier backup has on record is not read again. What a backup left that was killed is. */
async function isTheSame({ target, checksum, before }: Wanted): Promise<boolean> {
  if (before === 'same') return true
  return checksum !== null && (await digestFile(target)).checksum === checksum
}

async function tryLink(source: string, target: string): Promise<boolean> {
  try {
    await link(source, target)
    return true
  } catch (error) {
    if (!unlinkable.has((error as NodeJS.ErrnoException).code)) throw error
    return false
  }
}

async function statIfThere(path: string) {
  return stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    return undefined
  })
}
