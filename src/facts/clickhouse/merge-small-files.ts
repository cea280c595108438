import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { openDuckdb } from '../../duckdb/open-duckdb.ts'
import { bindParams, copyTo, readParquet } from '../../duckdb/sql.ts'
import type { Draft, DraftFile } from '../facts.ts'

export type FileToSend = Pick<DraftFile, 'path' | 'rows'>

/** An insert costs the server about as much as this number of facts. */
const rowsMax = 100_000
/** An insert makes a part for each day, and a server accepts at most 100 parts. */
const daysMax = 50
const memoryMb = 512

/**
 * Merges the small files of a draft, in its folder. There may be thousands, and DuckDB merges them twenty times faster
 * than the server accepts them one by one.
 */
export async function* mergeSmallFiles({ folder, files }: Draft): AsyncGenerator<FileToSend> {
  const threads = availableParallelism()
  await using duckdb = await openDuckdb({ memoryMb, threads, spillFolder: folder, folders: [folder] })
  for (const [index, batch] of planBatches(files).entries()) {
    const paths = batch.map(({ path }) => path)
    const merged = join(folder, `merged-${index}.parquet`)
    if (paths.length > 1) {
      await duckdb.connection.run(copyTo(merged, `FROM ${readParquet('paths')}`), ...bindParams({ paths }))
    }
    const rows = batch.reduce((sum, { rows }) => sum + rows, 0)
    yield { path: paths.length > 1 ? merged : (paths[0] ?? ''), rows }
  }
}

export function planBatches(files: readonly DraftFile[]): DraftFile[][] {
  const batches: DraftFile[][] = []
  let rows = Infinity
  let days = new Set<string>()
  for (const file of files.toSorted((a, b) => (a.day < b.day ? -1 : Number(a.day > b.day)))) {
    if (rows + file.rows > rowsMax || days.union(new Set([file.day])).size > daysMax) {
      batches.push([])
      rows = 0
      days = new Set()
    }
    batches.at(-1)?.push(file)
    rows += file.rows
    days.add(file.day)
  }
  return batches
}
