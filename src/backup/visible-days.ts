import type { Store } from '../store/open-store.ts'

export async function countVisibleDays(store: Store): Promise<number> {
  const { count } = await store
    .selectFrom('visibleLoads')
    .select((sql) => sql.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** Lists the loads that make up visible days, in their order. */
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

/** Finds the visible days of a load and the recorded sizes and checksums of their files. */
export async function findVisibleDays(store: Store, cube: string, load: number) {
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
