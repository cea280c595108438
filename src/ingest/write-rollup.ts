import { rm } from 'node:fs/promises'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { Cube } from '../catalog/cube.ts'
import { copyTo, quoteText, readParquet } from '../duckdb/sql.ts'
import { digestFile } from '../facts/file-digest.ts'
import { columnTypes, rollupBeside } from '../facts/fact-folder.ts'
import type { DraftFile, RecordedFile } from '../facts/facts.ts'

export type RollupFile = RecordedFile & {
  readonly path: string
  /** The columns of its dimensions, separated by spaces. */
  readonly has: string
}

/** A rollup with more rows than this share of its facts would take a third of the time of their load. */
const shareMax = 1 / 16
/** Dimensions with fewer values, as a share of the facts, are not counted exactly. */
const fewMax = 1 / 100
/** A query reads only the row groups of its dimension, but each one takes time: with a quarter of this, queries took longer. */
const rowGroupSize = 8_192

/** Writes the rollup of a fact file beside it; returns undefined if its sums are too large for the types of facts. */
export async function writeRollup(
  connection: DuckDBConnection,
  { dimensions, measures }: Cube,
  file: DraftFile,
): Promise<RollupFile | undefined> {
  const texts = dimensions.filter(({ type }) => type === 'string').map(({ column }) => column)
  const kept = await chooseDimensions(connection, texts, file)
  const path = rollupBeside(file.path)
  const sums = measures.map(({ column, type }) => `sum(${column})::${columnTypes[type]} AS ${column}`)
  const names = kept.map((column) => `CASE WHEN ${column} IS NOT NULL THEN ${quoteText(column)} END`)
  const select = `SELECT DATE ${quoteText(file.day)} AS day, coalesce(${[...names, "''"].join(', ')}) AS dimension,
        coalesce(${[...kept, "''"].join(', ')}) AS value, ${sums.join(', ')}
      FROM ${readParquet('path')}
      GROUP BY GROUPING SETS (${['()', ...kept].join(', ')})
      ORDER BY dimension, value`
  const format = `FORMAT parquet, PARQUET_VERSION V2, ROW_GROUP_SIZE ${rowGroupSize}, COMPRESSION uncompressed, WRITE_BLOOM_FILTER false`
  try {
    const { rowsChanged: rows } = await connection.run(copyTo(path, select, format), { path: file.path })
    return { path, rows, has: kept.join(' '), ...(await digestFile(path)) }
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith('Conversion Error')) throw error
    await rm(path, { force: true })
    return undefined
  }
}

/** Chooses the dimensions with the fewest values, as many as fit. */
async function chooseDimensions(
  connection: DuckDBConnection,
  texts: readonly string[],
  file: DraftFile,
): Promise<readonly string[]> {
  const counts = await countValues(connection, texts, file)
  const kept: string[] = []
  let rowsKept = 1
  for (const [column, values] of counts.toSorted(([, a], [, b]) => a - b)) {
    rowsKept += values
    if (rowsKept > shareMax * file.rows) break
    kept.push(column)
  }
  return kept
}

/**
 * Estimates how many values each dimension has. Parquet records the distinct values per row group of a column, unless most
 * of them differ. Dimensions for which these add up to many are counted approximately.
 */
async function countValues(
  connection: DuckDBConnection,
  texts: readonly string[],
  { path, rows }: DraftFile,
): Promise<readonly (readonly [column: string, values: number])[]> {
  const ask = async (sql: string) => (await connection.runAndReadAll(sql, { path })).getRows()
  const noted = await ask(
    `SELECT path_in_schema, sum(coalesce(stats_distinct_count, num_values))::DOUBLE FROM parquet_metadata($path) GROUP BY ALL`,
  )
  const bounds = noted.map(([column, values]) => [String(column), Number(values)] as const)
  const few = bounds.filter(([column, values]) => texts.includes(column) && values <= fewMax * rows)
  const many = texts.filter((text) => !few.some(([column]) => column === text))
  if (many.length === 0) return few
  const counts = many.map((column) => `approx_count_distinct(${column})::DOUBLE`).join(', ')
  const [counted = []] = await ask(`SELECT ${counts} FROM ${readParquet('path')}`)
  return [...few, ...many.map((column, index) => [column, Number(counted[index])] as const)]
}
