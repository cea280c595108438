import type { LoadedFile } from '../store/loads.ts'

export type FileFormat = 'parquet' | 'csv' | 'ndjson'

/** A file that is ready to be read: on this disk, unpacked, and its checksum taken. */
export type Source = {
  /** What people call it. */
  readonly name: string
  readonly path: string
  readonly format: FileFormat
  readonly record: LoadedFile
  /** Rejects where the file is not the one any more that the checksum is of. */
  readonly checkUnchanged: () => Promise<void>
}
