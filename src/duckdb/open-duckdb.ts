import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'
import { quoteText } from './sql.ts'

export type DuckdbOptions = {
  readonly memoryMb: number
  readonly threads: number
  /** For what does not fit into its memory. */
  readonly spillFolder: string
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
export async function openDuckdb({ memoryMb, threads, spillFolder, ...allowed }: DuckdbOptions): Promise<Duckdb> {
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
    for (const setting of settingsFor(allowed)) await connection.run(`SET ${setting}`)
    return { connection, connect, [Symbol.asyncDispose]: close }
  } catch (error) {
    await close()
    throw error
  }
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
