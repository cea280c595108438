import type { Writable } from 'node:stream'
import type { Cube } from '../catalog/cube.ts'
import type { Day } from '../query/day.ts'
import type { Query } from '../query/query.ts'
import type { FileDigest } from './digest-file.ts'
import type { GatheredRows } from './gather-rows.ts'

/** What of the stored facts a query may read: one account's, and of each day only the loads that are visible. */
export type Scope = {
  readonly account: string
  readonly visible: readonly VisibleLoad[]
}

type VisibleLoad = {
  readonly day: Day
  readonly load: number
  /** The columns of its facts, separated by spaces; null where a version loaded it that did not record them. */
  readonly columns?: string | null
  /** The columns of the dimensions in its rollup, separated by spaces; null where it has no rollup. */
  readonly rollupHas?: string | null
}

/** The facts of one account, one day and one load: what is stored, shown and removed as a unit. */
export type Portion = { readonly account: string; readonly day: Day; readonly load: number }

/** A day of an account, and the loads that it is made of. */
export type LoadedDay = { readonly account: string; readonly day: Day; readonly loads: readonly number[] }

/** A portion as it went on record when it was loaded. Null stands where an earlier version loaded it. */
export type RecordedPortion = Portion & {
  /** Of the file that the load made. */
  readonly bytes: number | null
  /** SHA-256, in hex. */
  readonly checksum: string | null
  readonly rows: number | null
  readonly rollup: RecordedFile | null
}

export type RecordedFile = FileDigest & { readonly rows: number }

/**
 * What is on record of a load. All that is stored of one that `mayBeStored` is in order: it is under way, or what it left
 * behind is removed soon.
 */
type LoadRecord = {
  readonly mayBeStored: boolean
  readonly visible: readonly RecordedPortion[]
  /** Not visible any more, and removed soon. */
  readonly retired: readonly Portion[]
}

/** The control data of a cube's facts, to compare with what is stored. Loads come and go meanwhile: ask it again. */
export type Records = {
  /** The loads of which something is visible. */
  listLoads(): Promise<readonly number[]>
  findLoad(load: number): Promise<LoadRecord>
  /** The loads of a day that are visible or retired. */
  listLoadsOfDay(account: string, day: Day): Promise<readonly number[]>
}

/** Something that is not as it is on record. */
export type Finding = { readonly place: string; readonly reason: string }

export type CheckOptions = {
  readonly signal: AbortSignal
  readonly onFinding: (finding: Finding) => void
  /** Told of every portion when it has been compared; `isWhole` where nothing was left out for want of a record. */
  readonly onChecked: (isWhole: boolean) => void
}

/** A checked Parquet file in the folder of a draft, with the columns of the cube and one portion's facts. */
export type DraftFile = {
  readonly path: string
  readonly account: string
  readonly day: Day
  readonly rows: number
  /** The rollup of these facts, where they are many. */
  readonly rollup?: { readonly path: string; readonly rows: number } | undefined
}

/** A load that is converted and checked. Its folder holds these files, their rollups and nothing else. */
export type Draft = {
  readonly load: number
  readonly cube: Cube
  readonly folder: string
  readonly files: readonly DraftFile[]
}

/**
 * What answers are read from. A rollup lies beside the facts of a large day of an account. For every value of every
 * dimension by itself it has the sums of all measures, and those of the whole day under no dimension. Its columns are
 * `day`, `dimension` (the column of one, or empty), `value`, and the measures as they are in facts.
 */
export type Source = 'facts' | 'rollups'

/** The answer of a query, with as many rows as its limit allows. */
export type Rows = GatheredRows & { readonly readFrom: readonly Source[] }

/** A finished CSV, which was packed on its way. */
export type MadeCsv = {
  readonly rows: number
  readonly bytes: number
  /** The SHA-256 of the CSV itself, in hex. */
  readonly checksum: string
  /** Where its blocks start in the packed file, as `packed-blocks` writes it. */
  readonly blocks: string
}

export type ReadOptions = {
  /** Names the query in logs and in the engine's own records. */
  readonly id: string
  readonly signal: AbortSignal
  /** Told when the query's turn has come; until then it waits for others. */
  readonly onBegin?: () => void
}

export type ExportOptions = {
  readonly id: string
  readonly msMax: number
  readonly signal: AbortSignal
  /** Told a share from 0 to 1, now and then. */
  readonly onProgress: (share: number) => void
}

export type AddOptions = {
  readonly signal: AbortSignal
  readonly onProgress: (share: number) => void
}

/** How the process that answers queries has fared. */
export type EngineStats = {
  /** Times it ended by itself and another was started. */
  readonly restarts: number
  /** Times it had grown and another took over. */
  readonly replacements: number
  /** Of the current one, after its last query. */
  readonly memoryBytes: number
}

/**
 * Where facts live. Queries go in checked, never as SQL, and name the loads that they may read. Every method rejects
 * with a FactsError where the engine is away, has no room, ran out of time or was told to stop.
 */
export interface Facts {
  /** The standard error of distinct counts, relative to the count; 0 where they are exact. */
  readonly distinctCountError: number
  /** Gets ready to answer queries. Who only loads or makes reports does without. */
  start(): Promise<void>
  readRows(query: Query, scope: Scope, options: ReadOptions): Promise<Rows>
  /** Writes the answer as gzip-compressed CSV. The target is whole only if the promise resolves. */
  writeCsv(query: Query, scope: Scope, target: Writable, options: ExportOptions): Promise<MadeCsv>
  /** Stores a draft durably. Its facts are read by no query until the store names the load; the folder is used up. */
  addLoad(draft: Draft, options: AddOptions): Promise<void>
  /**
   * Told which loads make up days that were added to: an engine may make days of many loads quicker to read. All loads of
   * a day have the same columns.
   */
  mergeDays(cube: Cube, days: readonly LoadedDay[]): Promise<void>
  /** Removes all that is stored of these loads; unknown ones are no error. */
  removeLoads(cube: Cube, loads: readonly number[]): Promise<void>
  removePortions(cube: Cube, portions: readonly Portion[]): Promise<void>
  /** Compares what is stored with what is on record, byte by byte or row by row, and names all that differs. */
  check(recordsOf: (cube: Cube) => Records, options: CheckOptions): Promise<void>
  /** Whether a query would be answered. */
  isUp(): Promise<boolean>
  /** Undefined where the processes are somebody else's. */
  stats(): EngineStats | undefined
  close(): Promise<void>
}

/** The facts for those who only ask queries. */
export type QueryFacts = Pick<Facts, 'distinctCountError' | 'readRows' | 'isUp'>
