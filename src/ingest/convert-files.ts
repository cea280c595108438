import { realpath, rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { isAccountId } from './file-columns.ts'
import type { Cube } from '../catalog/cube.ts'
import { openDuckdb } from '../duckdb/open-duckdb.ts'
import { bindParams, copyTo } from '../duckdb/sql.ts'
import { interruptOn, watchProgress } from '../duckdb/watch-statements.ts'
import type { Day } from '../query/day.ts'
import type { Findings } from '../store/loads.ts'
import { checksOf, compileAnyRelation, compileFacts, faultMark, relationsOf } from './compile-intake.ts'
import { compileColumn } from './compile-values.ts'
import { explainError } from './explain-error.ts'
import { findFaults, type Readable } from './find-faults.ts'
import { addFindings, fileFault, LoadRefused, noFindings } from './load-refused.ts'
import { matchColumns } from './match-columns.ts'
import type { Source } from './open-source.ts'
import { readColumns } from './read-columns.ts'
import { splitStage, stageBuckets } from './split-stage.ts'

type IntakeRules = {
  readonly today: Day
  readonly oldest: Day
  /** The accounts that exist; undefined if the load may create others. */
  readonly accounts: ReadonlySet<string> | undefined
  /** Impossible relations are faults instead of warnings. */
  readonly isStrict: boolean
}

type Work = {
  readonly cube: Cube
  /** The files of the load, or the faults of those that could not be opened. */
  readonly files: readonly (Source | Findings)[]
  readonly rules: IntakeRules
  /** For the stage and, in its folder `facts`, the fact files. */
  readonly folder: string
  /** Minimum facts per account and day for a rollup; 0: no rollups. */
  readonly rollupFacts: number
  readonly spillMb?: number | undefined
  readonly signal: AbortSignal
  readonly onProgress: (step: 'Reading' | 'Writing', share: number) => void
}

/** More threads would leave too little memory for each. */
const threadsMax = 4
const memoryMb = 2_048

/**
 * Converts files of any kind to checked fact files, one per account and day. All rows are checked while they are written
 * to a stage, which is then split. The first fault ends that; only then is every file read again to list all faults.
 */
export async function convertFiles(work: Work) {
  const { cube, rules, folder, signal } = work
  const threads = Math.min(availableParallelism(), threadsMax)
  await using duckdb = await openDuckdb({
    memoryMb,
    threads,
    spillFolder: join(folder, 'spill'),
    spillMbMax: work.spillMb,
    folders: [folder],
    // Plain files are read in place; DuckDB checks the target of a link.
    files: await Promise.all(work.files.flatMap((file) => ('path' in file ? realpath(file.path) : []))),
  })
  const { connection } = duckdb
  const others = await Promise.all(Array.from({ length: threads - 1 }, () => duckdb.connect()))
  const connections = [connection, ...others]
  using _ = interruptOn(signal, connections)
  const files: (Readable | Findings)[] = []
  for (const file of work.files) {
    signal.throwIfAborted()
    files.push('path' in file ? await readLayout(connection, cube, file) : file)
  }
  const find = (checks: Parameters<typeof findFaults>[2]): Promise<Findings> =>
    findFaults(connection, files, checks, { ...rules, accounts: [...(rules.accounts ?? [])] })
  const refuse = async (
    cause = new Error('DuckDB rejected the files, but no fault was found in them.'),
  ): Promise<Error> => {
    const found = await find((layout) => [
      ...checksOf(layout, rules.accounts !== undefined),
      ...(rules.isStrict ? relationsOf(cube, layout) : []),
    ])
    return found.count > 0 ? new LoadRefused(found) : cause
  }
  const readable = files.filter((file) => 'layout' in file)
  if (readable.length < files.length) throw await refuse()

  const stageFolder = join(folder, 'stage')
  await writeStage(connection, work, stageFolder, readable, refuse)
  const stageFiles = await stageBuckets(connection, stageFolder)
  if (stageFiles.length === 0) {
    throw new LoadRefused(addFindings(...readable.map(({ source }) => fileFault(source.name, 'has no rows'))))
  }
  const accounts = stageFiles.flatMap(({ portions }) => portions.map(({ account }) => account))
  if (!accounts.every((account) => rules.accounts?.has(account) ?? isAccountId(account))) throw await refuse()

  const paths = stageFiles.map(({ path }) => path)
  const warnings = (await hasRelation(connection, cube, paths))
    ? await find((layout) => relationsOf(cube, layout))
    : noFindings
  if (rules.isStrict && warnings.count > 0) throw new LoadRefused(warnings)
  signal.throwIfAborted()
  const factFiles = await splitStage(connections, stageFiles, {
    cube,
    folder: join(folder, 'facts'),
    rollupFacts: work.rollupFacts,
    onProgress: (share) => work.onProgress('Writing', share),
  })
  await rm(stageFolder, { recursive: true, force: true })
  for (const { source } of readable) await source.checkUnchanged()
  return { files: factFiles, warnings }
}

/** Reads the columns of a file. */
async function readLayout(connection: DuckDBConnection, cube: Cube, source: Source): Promise<Readable | Findings> {
  const { name: file, format } = source
  try {
    const { columns, faults } = await readColumns(connection, source)
    const matched = matchColumns(cube, columns)
    const first = [...faults, ...matched.faults].map((fault) => ({ file, ...fault }))
    if (first.length > 0) return { count: first.length, first }
    return { source, layout: { format, columns: matched.columns.map((column) => compileColumn(column, format)) } }
  } catch (error) {
    const fault = explainError(error, source)
    if (!fault) throw error
    return fault
  }
}

/** So many that each bucket is small, and so few that all can be written at once. */
const buckets = 16

/** Writes the facts of all files to the stage. If a row or line has a fault, throws what `refuse` returns. */
async function writeStage(
  connection: DuckDBConnection,
  { cube, rules, onProgress }: Work,
  stageFolder: string,
  readable: readonly Readable[],
  refuse: (cause?: Error) => Promise<Error>,
): Promise<void> {
  const layouts = [...Map.groupBy(readable, ({ layout }) => JSON.stringify(layout)).values()]
  const params: Record<string, unknown> = { today: rules.today, oldest: rules.oldest }
  const selects = layouts.map((files, index) => {
    params[`files${index}`] = files.map(({ source }) => source.path)
    return compileFacts(cube, files[0]!.layout, { files: `files${index}`, rejects: `staged_${index}` })
  })
  using _ = watchProgress(connection, (share) => onProgress('Reading', share))
  try {
    const rows = `SELECT *, hash(account, day) % ${buckets} AS bucket FROM (${selects.join('\nUNION ALL\n')})`
    const sql = copyTo(stageFolder, rows, "FORMAT parquet, PARTITION_BY (bucket), FILENAME_PATTERN 'stage_{i}'")
    await connection.run(sql, ...bindParams(params))
  } catch (error) {
    if (!(error instanceof Error)) throw error
    if (error.message.includes(faultMark)) throw await refuse()
    // A file may have become unreadable half-way. The search for faults finds out which.
    throw readable.some(({ source }) => explainError(error, source)) ? await refuse(error) : error
  }
  for (const [index, [first]] of layouts.entries()) {
    if (first?.layout.format !== 'csv') continue
    const reader = await connection.runAndReadAll(`SELECT 1 FROM staged_${index} LIMIT 1`)
    if (reader.currentRowCount > 0) throw await refuse()
  }
}

async function hasRelation(connection: DuckDBConnection, cube: Cube, files: readonly string[]): Promise<boolean> {
  const reader = await connection.runAndReadAll(compileAnyRelation(cube), ...bindParams({ files }))
  return reader.currentRowCount > 0
}
