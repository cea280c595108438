import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'
import { quoteText } from './sql.ts'

export type DuckdbOptions = {
  readonly memoryMb: number
  readonly threads: number
  /** For what does not fit into its memory. */
  readonly spillFolder: string
  /** The most space that this takes; a share of what is free now if undefined. */
  readonly spillMbMax?: number | undefined
  /** Nothing outside of these folders and files can be read or written. */
  readonly folders: readonly string[]
  readonly files?: readonly string[]
}

/** Disposing of it closes all connections. */
export type Duckdb = AsyncDisposable & {
  /** The only one whose statements report progress. */
  readonly connection: DuckDBConnection
  connect(): Promise<DuckDBConnection>
}

/** Opens an empty, sandboxed DuckDB in this process. */
export async function openDuckdb({
  memoryMb,
  threads,
  spillFolder,
  spillMbMax,
  ...allowed
}: DuckdbOptions): Promise<Duckdb> {
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: `${memoryMb}MiB`,
    threads: String(threads),
    temp_directory: spillFolder,
    // Nothing is ever downloaded.
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
    // Rows have the order that ORDER BY gives them; to keep any other would cost memory.
    preserve_insertion_order: 'false',
  })
  const connections: DuckDBConnection[] = []
  const connect = async (): Promise<DuckDBConnection> => {
    const connection = await instance.connect()
    connections.push(connection)
    return connection
  }
  const close = async (): Promise<void> => {
    for (const connection of connections) connection.closeSync()
    instance.closeSync()
  }
  try {
    const connection = await connect()
    // As an option of the instance, it would be shown but not enforced (1.5.5).
    await connection.run(`SET max_temp_directory_size = '${spillMbMax ?? (await shareOfDisk(spillFolder))}MiB'`)
    for (const setting of settingsFor(allowed)) await connection.run(`SET ${setting}`)
    return { connection, connect, [Symbol.asyncDispose]: close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Queries, two reports and a load together leave some of the disk to the control data. */
const spillShare = 0.2

async function shareOfDisk(spillFolder: string): Promise<number> {
  // DuckDB creates the folder when it needs it.
  const { bavail, bsize } = await statfs(spillFolder).catch(() => statfs(dirname(spillFolder)))
  return Math.floor((spillShare * bavail * bsize) / 2 ** 20)
}

const settingsFor = ({ folders, files = [] }: Pick<DuckdbOptions, 'folders' | 'files'>): readonly string[] => [
  'enable_progress_bar = true',
  'enable_progress_bar_print = false',
  // Days are UTC days, whatever the machine's time zone.
  "GLOBAL TimeZone = 'UTC'",
  // Fact files never change.
  'GLOBAL parquet_metadata_cache = true',
  // Rows that a thread collects before it writes them to the files of their partitions: as many as a row group has.
  'GLOBAL partitioned_write_flush_threshold = 122880',
  `allowed_directories = ${quoteList(folders.map((folder) => `${folder}/`))}`,
  `allowed_paths = ${quoteList(files)}`,
  'enable_external_access = false',
  'lock_configuration = true',
]

const quoteList = (texts: readonly string[]): string => `[${texts.map(quoteText).join(', ')}]`
