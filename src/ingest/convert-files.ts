import { rm } from 'node:fs/promises'
import type { DuckDBConnection } from '@duckdb/node-api'
import { isAccountId } from '../catalog/account-id.ts'
import type { Cube } from '../catalog/cube.ts'
import { bindParams } from '../facts/duckdb/bind.ts'
import { quoteText } from '../facts/duckdb/open-duckdb.ts'
import type { Day } from '../query/day.ts'
import type { Findings } from '../store/loads.ts'
import {
  accountChecks,
  checksOf,
  compileAnyRelation,
  compileFacts,
  faultMark,
  relationsOf,
  type Layout,
} from './compile-intake.ts'
import type { Check } from './compile-values.ts'
import { explainEngine } from './explain-engine.ts'
import { explainRead } from './explain-read.ts'
import { findFaults } from './find-faults.ts'
import { addFindings, fileFault, LoadRefused, noFindings } from './load-refused.ts'
import { matchColumns } from './match-columns.ts'
import { readColumns } from './read-columns.ts'
import type { Source } from './source.ts'
import { splitStage, stageBuckets, type FactFile } from './split-stage.ts'

/** What rows must keep to. */
type IntakeRules = {
  readonly today: Day
  readonly oldest: Day
  /** The accounts that there are; undefined where any account that could be made will do. */
  readonly accounts: ReadonlySet<string> | undefined
  /** Relations that cannot be are faults, and not only warnings. */
  readonly isStrict: boolean
}

export type Step = 'Fetching' | 'Reading' | 'Writing' | 'Storing'

type Work = {
  /** The first tells its progress. */
  readonly connections: readonly [DuckDBConnection, ...DuckDBConnection[]]
  readonly cube: Cube
  readonly files: readonly Opened[]
  readonly rules: IntakeRules
  /** Where the stage and the finished files go. */
  readonly stageFolder: string
  readonly factsFolder: string
  /** How many facts of a day get a rollup. */
  readonly rollupFacts: number
  readonly signal: AbortSignal
  readonly onProgress: (step: Step, share: number) => void
}

type Converted = { readonly files: readonly FactFile[]; readonly warnings: Findings }

/** A file that was asked for: opened, or what is wrong with it. */
export type Opened = { readonly name: string; readonly source: Source | undefined; readonly faults: Findings }

type Laid = Opened & { readonly layout: Layout | undefined }
type Readable = { readonly source: Source; readonly layout: Layout }

/**
 * Makes checked fact files out of files of any kind, one for each account and day. First all rows are written to a
 * stage, and checked on the way; then the stage is split. A fault ends that at once, and only then is every file read
 * again to tell what is wrong with it.
 */
export async function convertFiles(work: Work): Promise<Converted> {
  const { connections, rules, stageFolder, factsFolder, onProgress } = work
  const laid: Laid[] = []
  for (const file of work.files) {
    work.signal.throwIfAborted()
    laid.push(await readLayout(work, file))
  }
  const refuse = async (): Promise<LoadRefused> => {
    const found = await findAll(work, laid, faultChecks(work))
    if (found.count === 0) throw new Error('The engine refused the files, but no fault can be found in them.')
    return refusal(found)
  }
  if (laid.some(({ faults }) => faults.count > 0)) throw await refuse()

  const readable = laid.flatMap(({ source, layout }) => (source && layout ? [{ source, layout }] : []))
  if (!(await stage(work, readable, refuse))) throw await refuse()
  const stageFiles = await stageBuckets(connections[0], stageFolder)
  if (stageFiles.length === 0) throw new LoadRefused(laid.map(({ name }) => fileFault(name, 'has no rows')))

  const isUnusable = stageFiles
    .flatMap(({ portions }) => portions)
    .some(({ account }) => !(rules.accounts ? rules.accounts.has(account) : isAccountId(account)))
  if (isUnusable) throw await refuse()

  const warnings = await findRelations(
    work,
    laid,
    stageFiles.map(({ path }) => path),
  )
  if (rules.isStrict && warnings.count > 0) throw refusal(warnings)
  work.signal.throwIfAborted()
  const files = await splitStage(connections, stageFiles, {
    cube: work.cube,
    folder: factsFolder,
    rollupFacts: work.rollupFacts,
    onProgress: (share) => onProgress('Writing', share),
  })
  await rm(stageFolder, { recursive: true, force: true })
  for (const { source } of readable) await source.checkUnchanged()
  return { files, warnings }
}

const refusal = ({ first, count }: Findings): LoadRefused => new LoadRefused(first, count)

/** What the columns of a file are; one that cannot be read at all is a fault like any other. */
async function readLayout({ connections: [connection], cube }: Work, file: Opened): Promise<Laid> {
  const { name, source } = file
  if (!source || file.faults.count > 0) return { ...file, layout: undefined }
  try {
    const read = await readColumns(connection, source)
    const matched = matchColumns(cube, read.columns)
    const first = [...read.faults, ...('faults' in matched ? matched.faults : [])].map((fault) => ({
      file: name,
      ...fault,
    }))
    const layout = 'columns' in matched && first.length === 0 ? { format: source.format, ...matched } : undefined
    return { ...file, layout, faults: { count: first.length, first } }
  } catch (error) {
    const reason = explainRead(error)
    const fault = reason === undefined ? explainEngine(error, source) : fileFault(name, reason)
    if (!fault) throw error
    return { ...file, layout: undefined, faults: { count: 1, first: [fault] } }
  }
}

/** Writes the facts of all files to the stage; false where a row or a line of them has a fault. */
async function stage(work: Work, readable: readonly Readable[], refuse: () => Promise<LoadRefused>): Promise<boolean> {
  const { connections, cube, rules, stageFolder, onProgress } = work
  const [connection] = connections
  const layouts = [...Map.groupBy(readable, ({ layout }) => JSON.stringify(layout)).values()]
  const params: Record<string, unknown> = { today: rules.today, oldest: rules.oldest }
  const selects = layouts.map((files, index) => {
    params[`files${index}`] = files.map(({ source }) => source.path)
    return compileFacts(cube, files[0]!.layout, { files: `files${index}`, rejects: `staged_${index}` })
  })
  const timer = setInterval(() => onProgress('Reading', Math.max(0, connection.progress.percentage) / 100), 500)
  try {
    const sql = `COPY (SELECT *, hash(account, day) % ${buckets} AS bucket FROM (${selects.join('\nUNION ALL\n')}))
      TO ${quoteText(stageFolder)} (FORMAT parquet, PARTITION_BY (bucket), FILENAME_PATTERN 'stage_{i}')`
    await connection.run(sql, ...bindParams({ sql, params }))
  } catch (error) {
    if (!(error instanceof Error)) throw error
    if (error.message.includes(faultMark)) return false
    // A file that broke while it was read: the search for faults tells which, unless it is not to blame.
    throw readable.some(({ source }) => explainEngine(error, source)) ? await refuse().catch(() => error) : error
  } finally {
    clearInterval(timer)
  }
  for (const [index, [first]] of layouts.entries()) {
    if (first?.layout.format !== 'csv') continue
    const reader = await connection.runAndReadAll(`SELECT 1 FROM staged_${index} LIMIT 1`)
    if (reader.currentRowCount > 0) return false
  }
  return true
}

/** Enough to keep each part small, and few enough to be written at once. */
const buckets = 16

type ChecksOf = (layout: Layout) => readonly Check[]

const faultChecks =
  ({ cube, rules }: Work): ChecksOf =>
  (layout) => [
    ...accountChecks(layout, rules.accounts !== undefined),
    ...checksOf(layout),
    ...(rules.isStrict ? relationsOf(cube, layout) : []),
  ]

async function findAll(
  { connections: [connection], rules }: Work,
  files: readonly Laid[],
  checks: ChecksOf,
): Promise<Findings> {
  const params = { today: rules.today, oldest: rules.oldest, accounts: [...(rules.accounts ?? [])] }
  let found = noFindings
  for (const { source, layout, faults } of files) {
    found = addFindings(found, faults)
    if (source && layout) {
      found = addFindings(found, await findFaults(connection, source, layout, checks(layout), params))
    }
  }
  return found
}

async function findRelations(work: Work, files: readonly Laid[], stageFiles: readonly string[]): Promise<Findings> {
  const { connections, cube } = work
  const sql = compileAnyRelation(cube)
  const reader = await connections[0].runAndReadAll(sql, ...bindParams({ sql, params: { files: stageFiles } }))
  if (reader.currentRowCount === 0) return noFindings
  const related = files.filter(({ layout }) => layout && relationsOf(cube, layout).length > 0)
  return findAll(work, related, (layout) => relationsOf(cube, layout))
}
