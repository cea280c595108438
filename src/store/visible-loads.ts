import type { Day } from '../query/day.ts'
import type { AccountDay } from './loads.ts'
import type { Store } from './open-store.ts'

/** A day that a load made, and what went on record of its file. */
type VisibleDay = AccountDay & {
  readonly load: number
  readonly bytes: number | null
  readonly checksum: string | null
  readonly rows: number | null
  readonly rollup: { readonly bytes: number; readonly checksum: string; readonly rows: number } | null
}

type RecordOfLoad = {
  /** It has not ended, or what it left behind was not removed yet. */
  readonly mayBeStored: boolean
  readonly visible: readonly VisibleDay[]
  readonly retired: readonly (AccountDay & { readonly load: number })[]
}

export async function countVisibleDays(store: Store): Promise<number> {
  const { count } = await store
    .selectFrom('visibleLoads')
    .select((sql) => sql.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** The loads of which something is visible, in their order. */
export async function listVisibleLoads(store: Store, cube: string): Promise<readonly number[]> {
  const rows = await store
    .selectFrom('visibleLoads')
    .select('loadId')
    .distinct()
    .where('cube', '=', cube)
    .orderBy('loadId')
    .execute()
  return rows.map(({ loadId }) => loadId)
}

export async function findVisibleDays(store: Store, cube: string, load: number): Promise<readonly VisibleDay[]> {
  const found = await store
    .selectFrom('visibleLoads')
    .select(['accountId as account', 'day', 'loadId as load', 'bytes', 'checksum', 'rows'])
    .select(['rollupBytes', 'rollupChecksum', 'rollupRows'])
    .where('loadId', '=', load)
    .where('cube', '=', cube)
    .execute()
  return found.map(({ rollupBytes: bytes, rollupChecksum: checksum, rollupRows: rows, ...day }) => ({
    ...day,
    rollup: bytes === null || checksum === null || rows === null ? null : { bytes, checksum, rows },
  }))
}

/**
 * All that is on record of a load. A load becomes visible, then retired, then it is removed: read in this order, nothing
 * that moves on meanwhile is overlooked.
 */
export async function findRecordOfLoad(store: Store, cube: string, load: number): Promise<RecordOfLoad> {
  const found = await store.selectFrom('loads').select(['state', 'sweptAt']).where('id', '=', load).executeTakeFirst()
  const hasLeft = found?.state === 'visible' || found?.sweptAt !== null
  const visible = await findVisibleDays(store, cube, load)
  const retired = await store
    .selectFrom('retiredLoads')
    .select(['accountId as account', 'day', 'loadId as load'])
    .where('loadId', '=', load)
    .where('cube', '=', cube)
    .execute()
  return { mayBeStored: found !== undefined && !hasLeft, visible, retired }
}

/** The loads of a day that are visible, or were and are not removed yet. */
export async function listLoadsOfDay(store: Store, cube: string, { account, day }: AccountDay): Promise<number[]> {
  const loads: number[] = []
  for (const table of ['visibleLoads', 'retiredLoads'] as const) {
    const rows = await store
      .selectFrom(table)
      .select('loadId')
      .where('accountId', '=', account)
      .where('cube', '=', cube)
      .where('day', '=', day)
      .execute()
    loads.push(...rows.map(({ loadId }) => loadId))
  }
  return loads
}

/** The days that several loads make up, with their loads in order. */
export async function* listLongDays(
  store: Store,
  cube: string,
): AsyncGenerator<{ readonly account: string; readonly day: Day; readonly loads: readonly number[] }> {
  const days = await store
    .selectFrom('visibleLoads')
    .select(['accountId as account', 'day'])
    .where('cube', '=', cube)
    .groupBy(['accountId', 'day'])
    .having((sql) => sql(sql.fn.countAll(), '>', 1))
    .execute()
  for (const { account, day } of days) {
    const rows = await store
      .selectFrom('visibleLoads')
      .select('loadId')
      .where('accountId', '=', account)
      .where('cube', '=', cube)
      .where('day', '=', day)
      .orderBy('loadId')
      .execute()
    yield { account, day, loads: rows.map(({ loadId }) => loadId) }
  }
}
