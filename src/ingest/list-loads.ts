import type { Findings, LoadedFile } from '../store/loads.ts'
import type { Store } from '../store/open-store.ts'

/** Lists loads, newest first, at most `limit`, only those older than the load `before`. */
export async function listLoads(
  store: Store,
  { cube, before, limit }: { cube?: string | undefined; before?: number | undefined; limit: number },
) {
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
