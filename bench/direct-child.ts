/** Runs SQL in DuckDB without Adcube, and reports the time until the rows were there. */
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'
import type { DirectOptions } from './direct.ts'

const { threads, memoryMb, spillFolder } = JSON.parse(process.argv[2] ?? '') as DirectOptions
const instance = await DuckDBInstance.create(':memory:', {
  threads: String(threads),
  memory_limit: `${memoryMb}MiB`,
  temp_directory: spillFolder,
})
const idle: DuckDBConnection[] = [await instance.connect()]
// Adcube sets it too; without it, the comparison would measure this setting.
await idle[0]!.run('SET GLOBAL parquet_metadata_cache = true')

process.on('message', async ({ id, sql }: { id: number; sql: string }) => {
  const connection = idle.pop() ?? (await instance.connect())
  try {
    const startedAt = performance.now()
    const rows = (await connection.runAndReadAll(sql)).getRowsJson()
    process.send?.({ id, rows, ms: performance.now() - startedAt })
  } catch (error) {
    process.send?.({ id, error: String(error) })
  }
  idle.push(connection)
})
process.on('disconnect', () => process.exit(0))
