import { createHash } from 'node:crypto'
import { open, stat } from 'node:fs/promises'

/** The size of a file and the SHA-256 of its content, in hex. */
export type FileDigest = { readonly bytes: number; readonly checksum: string }

const pieceBytes = 256 * 1024

/** Reads a file piece by piece, so that memory does not grow with its size. */
export async function digestFile(path: string): Promise<FileDigest> {
  await using file = await open(path, 'r')
  const hash = createHash('sha256')
  const piece = Buffer.allocUnsafe(pieceBytes)
  let bytes = 0
  for (;;) {
    const { bytesRead } = await file.read(piece, 0, pieceBytes)
    if (bytesRead === 0) return { bytes, checksum: hash.digest('hex') }
    hash.update(piece.subarray(0, bytesRead))
    bytes += bytesRead
  }
}

type Recorded = { readonly bytes: number | null; readonly checksum: string | null }

/** How a file differs from its record; undefined if it does not. */
export async function inspectFile(path: string, { bytes, checksum }: Recorded): Promise<string | undefined> {
  try {
    const { size } = await stat(path)
    if (bytes !== null && size !== bytes) return `has ${size} bytes instead of ${bytes}`
    if (checksum === null || (await digestFile(path)).checksum === checksum) return undefined
    return 'was changed: its checksum differs'
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    // A failing disk reports EIO.
    return code === 'ENOENT' ? 'is missing' : `cannot be read (${code})`
  }
}
