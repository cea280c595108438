import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'

export type DuckdbOptions = {
  readonly memoryMb: number
  readonly threads: number
  /** Where it puts what does not fit into its memory. */
  readonly spillFolder: string
  /** All that it may read and write besides. */
  readonly folders: readonly string[]
  readonly files?: readonly string[]
}

/**
 * An empty DuckDB in this process that reaches nothing but its folders, and a first connection, which tells its progress.
 */
export async function openDuckdb(
  options: DuckdbOptions,
): Promise<{ readonly instance: DuckDBInstance; readonly connection: DuckDBConnection }> {
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: `${options.memoryMb}MiB`,
    threads: String(options.threads),
    temp_directory: options.spillFolder,
    // Nothing is ever downloaded.
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
    // Rows have the order that ORDER BY gives them; to keep any other would cost memory.
    preserve_insertion_order: 'false',
  })
  const connection = await instance.connect()
  await connection.run('SET enable_progress_bar = true')
  await connection.run('SET enable_progress_bar_print = false')
  // Days are UTC days, whatever the machine's time zone.
  await connection.run("SET GLOBAL TimeZone = 'UTC'")
  // Fact files never change.
  await connection.run('SET GLOBAL parquet_metadata_cache = true')
  // Rows that a thread collects before it writes them to the files of their partitions: as many as a row group has.
  await connection.run('SET GLOBAL partitioned_write_flush_threshold = 122880')
  await connection.run(`SET allowed_directories = ${quoteList(options.folders.map((folder) => `${folder}/`))}`)
  await connection.run(`SET allowed_paths = ${quoteList(options.files ?? [])}`)
  await connection.run('SET enable_external_access = false')
  await connection.run('SET lock_configuration = true')
  return { instance, connection }
}

export const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`

export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`

const quoteList = (texts: readonly string[]): string => `[${texts.map(quoteText).join(', ')}]`
