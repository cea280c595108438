import type { Selectable, Updateable } from 'kysely'
import type { Day } from '../query/day.ts'
import type { Store } from './open-store.ts'
import type { LoadState, Tables } from './tables.ts'

export type AccountDay = { readonly account: string; readonly day: Day }

/** What a load made for an account and day, and the file that it is in. */
export type FiledDay = AccountDay & {
  readonly bytes?: number
  /** SHA-256, in hex. */
  readonly checksum?: string
  readonly rows?: number
  readonly rollup?: FiledRollup | undefined
}

type FiledRollup = {
  readonly bytes: number
  readonly checksum: string
  readonly rows: number
  /** The columns of its dimensions, separated by spaces. */
  readonly has: string
}

export type LoadMode = 'replace' | 'append'

export type LoadedFile = { readonly name: string; readonly bytes: number; readonly checksum: string }

/** What is wrong with a file, or strange in it. */
export type FileFault = {
  readonly file: string
  readonly row: number | null
  readonly column: string | null
  readonly reason: string
}

/** How many faults or warnings there are, and the first of them. */
export type Findings = { readonly count: number; readonly first: readonly FileFault[] }

export type Load = Omit<Selectable<Tables['loads']>, 'files' | 'warnings'> & {
  readonly files: readonly LoadedFile[]
  /** Null where none are on record. */
  readonly warnings: Findings | null
}

export async function beginLoad(
  store: Store,
  load: { cube: string; mode?: LoadMode; loadedBy?: string; columns?: string; now: number },
): Promise<number> {
  const { id } = await store
    .insertInto('loads')
    .values({
      cube: load.cube,
      state: 'loading',
      mode: load.mode ?? 'replace',
      loadedBy: load.loadedBy ?? '',
      files: '[]',
      columns: load.columns ?? null,
      startedAt: load.now,
      aliveAt: load.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Gives a load its outcome; false where it has one. What is visible must never be taken for failed, and swept. */
export async function settleLoad(
  store: Store,
  id: number,
  outcome: Updateable<Tables['loads']> & { readonly state: Exclude<LoadState, 'loading'> },
): Promise<boolean> {
  const { numUpdatedRows } = await store
    .updateTable('loads')
    .set(outcome)
    .where('id', '=', id)
    .where('state', '=', 'loading')
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Says that the loader lives; false where it was given up. */
export async function keepLoadAlive(store: Store, id: number, now: number): Promise<boolean> {
  const { numUpdatedRows } = await store
    .updateTable('loads')
    .set({ aliveAt: now })
    .where('id', '=', id)
    .where('state', '=', 'loading')
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Those of these loads that have not ended. As many as fit into a statement. */
export async function findLoadsUnderWay(store: Store, ids: readonly number[]): Promise<ReadonlySet<number>> {
  const rows = await store
    .selectFrom('loads')
    .select('id')
    .where('id', 'in', ids)
    .where('state', '=', 'loading')
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** Records why a load failed. One that has ended stays as it is. */
export async function failLoad(
  store: Store,
  load: {
    readonly id: number
    readonly reason?: string
    readonly files?: readonly LoadedFile[]
    readonly now: number
  },
): Promise<void> {
  const isEnded = await settleLoad(store, load.id, {
    state: 'failed',
    finishedAt: load.now,
    failureReason: load.reason ?? null,
    ...(load.files && { files: JSON.stringify(load.files) }),
  })
  if (isEnded) return
  // It was given up, and may have stored more since that was swept.
  await store
    .updateTable('loads')
    .set({ sweptAt: null, finishedAt: load.now })
    .where('id', '=', load.id)
    .where('state', '=', 'failed')
    .execute()
}

/** The newest first. */
export async function listLoads(
  store: Store,
  { cube, before, limit }: { cube?: string | undefined; before?: number | undefined; limit: number },
): Promise<readonly (Load & { readonly visibleDays: number })[]> {
  const rows = await store
    .selectFrom('loads')
    .selectAll('loads')
    .select((sql) =>
      sql
        .selectFrom('visibleLoads')
        .select((count) => count.fn.count<number>('day').distinct().as('days'))
        .whereRef('loadId', '=', 'loads.id')
        .as('visibleDays'),
    )
    .$if(cube !== undefined, (some) => some.where('cube', '=', cube ?? ''))
    .$if(before !== undefined, (some) => some.where('id', '<', before ?? 0))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    ...row,
    files: JSON.parse(row.files) as readonly LoadedFile[],
    warnings: JSON.parse(row.warnings ?? 'null') as Findings | null,
    visibleDays: row.visibleDays ?? 0,
  }))
}

/** One text for each list of columns: many loads have the same, and they are remembered. */
const columnTexts = new Map<string, string>()

function shareText(text: string | null): string | null {
  if (text !== null && !columnTexts.has(text)) columnTexts.set(text, text)
  return text && (columnTexts.get(text) ?? text)
}

/** The loads that make up the days of a range, or from its start on, in the order of the days. */
export async function findVisibleLoads(store: Store, range: { cube: string; account: string; start: Day; end?: Day }) {
  const loads = await store
    .selectFrom('visibleLoads')
    .innerJoin('loads', 'loads.id', 'loadId')
    .select(['day', 'loadId as load', 'columns', 'rollupHas'])
    .where('visibleLoads.cube', '=', range.cube)
    .where('accountId', '=', range.account)
    .where('day', '>=', range.start)
    .$if(range.end !== undefined, (some) => some.where('day', '<=', range.end ?? ''))
    .orderBy('day')
    .orderBy('loadId')
    .execute()
  return loads.map((load) => ({ ...load, columns: shareText(load.columns) }))
}

/** The first and the last day that are loaded, of those that can be asked for; undefined where there is none. */
export async function findLoadedRange(
  store: Store,
  { cube, account, oldest }: { cube: string; account: string; oldest: Day },
): Promise<{ readonly start: Day; readonly end: Day } | undefined> {
  const { start, end } = await store
    .selectFrom('visibleLoads')
    .select(({ fn }) => [fn.min<Day | null>('day').as('start'), fn.max<Day | null>('day').as('end')])
    .where('cube', '=', cube)
    .where('accountId', '=', account)
    .where('day', '>=', oldest)
    .executeTakeFirstOrThrow()
  return start === null || end === null ? undefined : { start, end }
}
