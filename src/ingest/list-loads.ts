import type { AliasableExpression, ExpressionBuilder } from 'kysely'
import type { Day } from '../query/day.ts'
import type { Findings, LoadedFile } from '../store/loads.ts'
import type { Store } from '../store/open-store.ts'
import type { Tables } from '../store/tables.ts'

type Page = { readonly before?: number | undefined; readonly limit: number }

/** Lists loads, newest first, at most `limit`, only those older than the load `before`. */
export async function listLoads(store: Store, { cube, before, limit }: Page & { readonly cube?: string | undefined }) {
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

export type AccountLoad = Awaited<ReturnType<typeof listAccountLoads>>[number]

/**
 * Lists the loads that make up days of an account. Days and rows are those of the account that are visible. Files and
 * warnings are null if the load has facts of other accounts, too, because they could reveal something about these.
 */
export async function listAccountLoads(
  store: Store,
  { accountId, cube, before, limit }: Page & { readonly accountId: string; readonly cube: string },
) {
  const rows = await store
    .selectFrom('visibleLoads')
    .innerJoin('loads', 'loads.id', 'visibleLoads.loadId')
    .select(['loads.id', 'loads.cube', 'loads.mode', 'loads.loadedBy', 'loads.startedAt', 'loads.finishedAt'])
    .select((sql) => [
      sql.fn.countAll<number>().as('days'),
      sql.fn.min<Day>('visibleLoads.day').as('firstDay'),
      sql.fn.max<Day>('visibleLoads.day').as('lastDay'),
      sumRows(sql).as('rows'),
      sql.case().when('loads.accounts', '=', 1).then(sql.ref('loads.files')).end().as('files'),
      sql.case().when('loads.accounts', '=', 1).then(sql.ref('loads.warnings')).end().as('warnings'),
    ])
    .where('visibleLoads.accountId', '=', accountId)
    .where('visibleLoads.cube', '=', cube)
    .$if(before !== undefined, (some) => some.where('visibleLoads.loadId', '<', before ?? 0))
    .groupBy('loads.id')
    .orderBy('loads.id', 'desc')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    ...row,
    files: JSON.parse(row.files ?? 'null') as readonly LoadedFile[] | null,
    warnings: JSON.parse(row.warnings ?? 'null') as Findings | null,
  }))
}

/** Lists the loaded days of an account from `oldest` on. */
export const listLoadedDays = (
  store: Store,
  { accountId, cube, oldest }: { readonly accountId: string; readonly cube: string; readonly oldest: Day },
) =>
  store
    .selectFrom('visibleLoads')
    .select('day')
    .select((sql) => [sumRows(sql).as('rows'), sql.fn.countAll<number>().as('loads')])
    .where('accountId', '=', accountId)
    .where('cube', '=', cube)
    .where('day', '>=', oldest)
    .groupBy('day')
    .orderBy('day')
    .execute()

/** Null if an earlier version loaded some of the days, without recording their rows. */
function sumRows(sql: ExpressionBuilder<Tables, 'visibleLoads'>): AliasableExpression<number | null> {
  return (
    sql
      .case()
      .when(sql.fn.count('visibleLoads.rows'), '=', sql.fn.countAll())
      // PostgreSQL's sum of integers has another type, which arrives as text.
      .then(sql.cast<number>(sql.fn.sum('visibleLoads.rows'), 'bigint'))
      .end()
  )
}
