import type { Writable } from 'node:stream'
import type { Cube } from '../catalog/cube.ts'
import type { Day } from '../query/day.ts'
import type { Query } from '../query/query.ts'
import type { FileDigest } from './file-digest.ts'

/** The facts that a query may read: one account's, and of each day only the visible loads. */
export type Scope = {
  readonly account: string
  readonly visible: readonly VisibleLoad[]
}

type VisibleLoad = {
  readonly day: Day
  readonly load: number
  /** The columns of its facts, separated by spaces; null if an early version loaded it, which did not record them. */
  readonly columns?: string | null
  /** The size of the file of this day, and its SHA-256 in hex; null if an early version loaded it. */
  readonly bytes?: number | null
  readonly checksum?: string | null
  /** The columns of the dimensions in its rollup, separated by spaces; null if it has no rollup. */
  readonly rollupHas?: string | null
  readonly rollupChecksum?: string | null
}

/** The facts of one account, one day and one load, which are stored, shown and removed together. */
export type Portion = { readonly account: string; readonly day: Day; readonly load: number }

/** A day of an account, and all its loads with the checksums of their files, in the order of the loads. */
export type LoadedDay = {
  readonly account: string
  readonly day: Day
  readonly loads: readonly Pick<VisibleLoad, 'load' | 'checksum'>[]
}

/** A portion as it was recorded when it was loaded; early versions did not record all of it. */
export type RecordedPortion = Portion & {
  readonly bytes: number | null
  /** SHA-256 of the file, in hex. */
  readonly checksum: string | null
  readonly rows: number | null
  readonly rollup: RecordedFile | null
}

export type RecordedFile = FileDigest & { readonly rows: number }

export type LoadRecord = {
  /** The load is in progress, or what it left behind is removed soon: whatever is stored of it is in order. */
  readonly mayBeStored: boolean
  readonly visible: readonly RecordedPortion[]
  /** No longer visible, and removed soon. */
  readonly retired: readonly Portion[]
}

/** The records of a cube's facts, to compare with what is stored. They change meanwhile. */
export type Records = {
  /** Called before a difference is looked at again. */
  renew(): Promise<void>
  /** The loads with visible portions. */
  listLoads(): Promise<readonly number[]>
  findLoad(load: number): Promise<LoadRecord>
  /** The visible loads of a day in their order, and the retired ones. */
  findDay(account: string, day: Day): Promise<Pick<LoadedDay, 'loads'> & { readonly retired: readonly number[] }>
}

/** The portions of a day of an account, as they were recorded, in the order of their loads. */
export type RecordedDay = Omit<Portion, 'load'> & { readonly portions: readonly RecordedPortion[] }

/** A stored file that differs from its record. */
export type Damage = Portion & { readonly cube: string } & Finding

/** A difference between what is stored and the records. */
export type Finding = { readonly place: string; readonly reason: string }

export type CheckOptions = {
  readonly signal: AbortSignal
  readonly onFinding: (finding: Finding) => void
  /** Called for every portion; `isWhole` is false if a missing record left something unchecked. */
  readonly onChecked: (isWhole: boolean) => void
}

/** A checked Parquet file in the folder of a draft: the facts of one portion, in the columns of the cube. */
export type DraftFile = {
  readonly path: string
  readonly account: string
  readonly day: Day
  readonly rows: number
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
 * A rollup is stored beside the facts of a large day of an account. It has the sums of all measures for every value of
 * every dimension, and for the whole day. Its columns are `day`, `dimension` (a column, or empty), `value`, and the
 * measures of the facts.
 */
export type Source = 'facts' | 'rollups'

export type GatheredRows = {
  /** JSON objects in UTF-8, separated by commas, in which counts and money keep every digit. */
  readonly json: Buffer
  readonly count: number
  /** The limit cut rows off. */
  readonly isTruncated: boolean
}

/** The rows of an answer, out of one more than the limit, if there are that many. */
export function gatherRows(found: readonly string[], limit: number): GatheredRows {
  const rows = found.slice(0, limit)
  return { json: Buffer.from(rows.join(',')), count: rows.length, isTruncated: found.length > limit }
}

export type Rows = GatheredRows & { readonly readFrom: readonly Source[] }

/** A finished report. */
export type MadeCsv = {
  readonly rows: number
  readonly bytes: number
  /** SHA-256 of the uncompressed CSV, in hex. */
  readonly checksum: string
  /** The positions of its blocks in the compressed file, as `packCsv` writes them. */
  readonly blocks: string
}

export type ReadOptions = {
  /** Names the query in logs and in the engine's own records. */
  readonly id: string
  readonly signal: AbortSignal
  /** Called when the query no longer waits for others. */
  readonly onBegin?: () => void
}

export type ExportOptions = {
  readonly id: string
  readonly msMax: number
  readonly signal: AbortSignal
  /** Called now and then with a share from 0 to 1. */
  readonly onProgress: (share: number) => void
}

export type AddOptions = Pick<ExportOptions, 'signal' | 'onProgress'>

/** Statistics of the process that answers queries. */
export type EngineStats = {
  /** How often another was started because it had ended by itself. */
  readonly restarts: number
  /** How often we killed it because a cancelled query did not stop. */
  readonly kills: number
  /** How often another took over because it had grown. */
  readonly replacements: number
  /** Memory of the current one after its last query. */
  readonly memoryBytes: number
}

export type EngineSettings = {
  /** Called when a query finds a stored file damaged, once for each file. */
  readonly onDamage?: ((damage: Damage) => void) | undefined
  /** The secret of the control data that the facts belong to. */
  readonly owner: string
  readonly queryMsMax: number
  /** Limits all queries together; with ClickHouse, each query. */
  readonly queryMemoryMb: number
  readonly exportMemoryMb: number
  /** The most disk space that queries, and each report, take for what does not fit into memory. */
  readonly spillMb?: number | undefined
}

/** A result of `adcube doctor`. With `fail`, the engine does not work. */
export type EngineFinding = { readonly status: 'ok' | 'warn' | 'fail'; readonly detail: string }

/**
 * Stores facts and answers queries, which come checked, never as SQL, and name the loads that they may read. Every method
 * rejects with a FactsError if the engine is away, has no room, runs out of time or is cancelled.
 */
export interface Facts {
  /** The relative standard error of distinct counts; 0 if they are exact. */
  readonly distinctCountError: number
  /** Prepares for queries. Loads and reports do not need it. */
  start(): Promise<void>
  readRows(query: Query, scope: Scope, options: ReadOptions): Promise<Rows>
  /** Writes the answer as gzip-compressed CSV. The target is complete only if the promise resolves. */
  writeCsv(query: Query, scope: Scope, target: Writable, options: ExportOptions): Promise<MadeCsv>
  /** Stores a draft durably and removes its folder. No query reads its facts until the control data name the load. */
  addLoad(draft: Draft, options: AddOptions): Promise<void>
  /** Called with days that were added to: an engine may make days of many loads faster to read. */
  mergeDays(cube: Cube, days: readonly LoadedDay[]): Promise<void>
  /** Removes all that is stored of these loads; unknown ones are ignored. */
  removeLoads(cube: Cube, loads: readonly number[]): Promise<void>
  removePortions(cube: Cube, portions: readonly Portion[]): Promise<void>
  /**
   * Reads the files of a day and returns those that differ from their record. A damaged file that can be made again is
   * removed. Undefined if the engine checks what it stores by itself.
   */
  readonly findDamage: ((cube: Cube, day: RecordedDay) => Promise<readonly Damage[]>) | undefined
  /** Compares all that is stored with the records. */
  check(recordsOf: (cube: Cube) => Records, options: CheckOptions): Promise<void>
  /** True if a query would be answered. */
  isUp(): Promise<boolean>
  /** Undefined if we do not run the engine. */
  stats(): EngineStats | undefined
  close(): Promise<void>
}

export type QueryFacts = Pick<Facts, 'distinctCountError' | 'readRows' | 'isUp'>
