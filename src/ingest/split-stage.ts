import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { Cube } from '../catalog/cube.ts'
import { inParallel } from '../concurrency/in-parallel.ts'
import { bindParams, copyTo, readParquet } from '../duckdb/sql.ts'
import { digestFile, type FileDigest } from '../facts/file-digest.ts'
import type { DraftFile } from '../facts/facts.ts'
import { chunksOf } from '../store/chunks-of.ts'
import { writeRollup, type RollupFile } from './write-rollup.ts'

/** A file of the stage, and the accounts and days that it holds. */
export type StageFile = {
  readonly path: string
  readonly portions: readonly { readonly account: string; readonly day: string; readonly rows: number }[]
}

/** A written fact file. Its checksum is recorded with the load. */
export type FactFile = DraftFile & FileDigest & { readonly rollup?: RollupFile | undefined }

/** Each open file takes some two megabytes of memory. */
const writtenAtOnce = 80

export async function stageBuckets(connection: DuckDBConnection, folder: string): Promise<readonly StageFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const files: StageFile[] = []
  for (const path of paths.toSorted()) {
    const reader = await connection.runAndReadAll(
      `SELECT account, day::VARCHAR, count(*)::INTEGER FROM ${readParquet('path')} GROUP BY ALL ORDER BY ALL`,
      { path },
    )
    const portions = reader
      .getRows()
      .map(([account, day, rows]) => ({ account: String(account), day: String(day), rows: Number(rows) }))
    if (portions.length > 0) files.push({ path, portions })
  }
  return files
}

type SplitOptions = {
  readonly cube: Cube
  readonly folder: string
  /** Minimum facts per file for a rollup; 0: no rollups. */
  readonly rollupFacts: number
  readonly onProgress: (share: number) => void
}

/** Splits the stage into one file per account and day, one thread per file. */
export async function splitStage(
  connections: readonly DuckDBConnection[],
  stage: readonly StageFile[],
  { cube, folder, rollupFacts, onProgress }: SplitOptions,
): Promise<readonly FactFile[]> {
  const pieces = stage.flatMap(({ path, portions }) =>
    chunksOf(portions, writtenAtOnce).map((some) => ({ path, portions: some, isAll: some.length === portions.length })),
  )
  const files: FactFile[] = []
  let done = 0
  await inParallel(pieces, connections.length, async (piece, worker) => {
    const connection = connections[worker]!
    for (const file of await writePiece(connection, piece, folder)) {
      const isLarge = rollupFacts > 0 && file.rows >= rollupFacts
      const rollup = isLarge ? await writeRollup(connection, cube, file) : undefined
      files.push({ ...file, ...(await digestFile(file.path)), rollup })
    }
    onProgress(++done / pieces.length)
  })
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const written = entries.filter(({ name }) => name.endsWith('.parquet'))
  if (written.length !== files.length) throw new Error('the facts of an account and day were written in several files')
  return files
}

const factsFormat =
  "FORMAT parquet, PARTITION_BY (account, day), WRITE_PARTITION_COLUMNS true, FILENAME_PATTERN 'facts_{i}', OVERWRITE_OR_IGNORE true"

async function writePiece(
  connection: DuckDBConnection,
  { path, portions, isAll }: { path: string; portions: StageFile['portions']; isAll: boolean },
  folder: string,
): Promise<readonly DraftFile[]> {
  const keys = portions.map(({ account, day }) => `${account} ${day}`)
  const where = isAll ? '' : `WHERE account || ' ' || day::VARCHAR IN (SELECT unnest($keys))`
  const written = await connection.run(
    copyTo(folder, `FROM ${readParquet('path')} ${where}`, factsFormat),
    ...bindParams({ path, ...(!isAll && { keys }) }),
  )
  const expected = portions.reduce((sum, { rows }) => sum + rows, 0)
  if (written.rowsChanged !== expected) throw new Error('not all facts of the stage were written')
  return portions.map(({ account, day, rows }) => ({
    path: join(folder, `account=${account}`, `day=${day}`, 'facts_0.parquet'),
    account,
    day,
    rows,
  }))
}
