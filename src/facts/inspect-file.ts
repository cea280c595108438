import { stat } from 'node:fs/promises'
import { digestFile } from './digest-file.ts'

type Recorded = { readonly bytes: number | null; readonly checksum: string | null }

/** What is wrong with a file; undefined where it is as it was recorded. */
export async function inspectFile(path: string, { bytes, checksum }: Recorded): Promise<string | undefined> {
  try {
    const { size } = await stat(path)
    if (bytes !== null && size !== bytes) return `has ${size} bytes instead of ${bytes}`
    if (checksum === null || (await digestFile(path)).checksum === checksum) return undefined
    return 'was changed: its checksum differs'
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    // A disk that is failing says EIO.
    return code === 'ENOENT' ? 'is missing' : `cannot be read (${code})`
  }
}
