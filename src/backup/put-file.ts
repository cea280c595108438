import { constants } from 'node:fs'
import { chmod, copyFile, link, mkdir, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { digestFile } from '../facts/file-digest.ts'

export type Wanted = {
  readonly source: string
  readonly target: string
  /** The recorded size and SHA-256 of the file; null if not recorded. */
  readonly bytes: number | null
  readonly checksum: string | null
  /** The earlier backup records the same file, another one under the same name, or none. */
  readonly before: 'same' | 'other' | 'none'
}

type PutOptions = {
  /** The path of a copy until it is complete, on the file system of the target. */
  readonly draft: string
  /** A link takes no space, but damage to one file damages both. */
  readonly mayLink: boolean
}

/** Error codes of file systems that cannot link two files. */
const unlinkable: ReadonlySet<unknown> = new Set(['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])

/** Links or copies a file to its target, unless it is there already, or the source is missing or has the wrong size. */
export async function putFile(wanted: Wanted, { draft, mayLink }: PutOptions): Promise<'put' | 'present' | 'damaged'> {
  const { source, target, bytes, checksum, before } = wanted
  const from = await statOrUndefined(source)
  if (!from || (bytes !== null && from.size !== bytes)) return 'damaged'
  const there = await statOrUndefined(target)
  if (there) {
    if (before === 'other')
      throw new Error(`The backup has other content under the same name: ${target}. Name another folder.`)
    if (there.ino === from.ino && there.dev === from.dev) return 'present'
    // Only a file that no backup has recorded, because that backup was killed, is read again.
    const isSame = async () =>
      before === 'same' || (checksum !== null && (await digestFile(target)).checksum === checksum)
    if (there.size === from.size && (await isSame())) return 'present'
    await rm(target)
  } else await mkdir(dirname(target), { recursive: true, mode: 0o700 })

  if (mayLink && (await tryLink(source, target))) return 'put'
  // A file system that can share blocks copies without taking space.
  await copyFile(source, draft, constants.COPYFILE_FICLONE)
  await chmod(draft, 0o600)
  await rename(draft, target)
  return 'put'
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

const statOrUndefined = (path: string) =>
  stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    return undefined
  })
