import type { AliasableExpression, ExpressionBuilder } from 'kysely'
import type { Day } from '../query/day.ts'
import type { Findings, LoadedFile, LoadMode } from './loads.ts'
import type { Store } from './open-store.ts'
import type { Tables } from './tables.ts'

/** A load as one account may know it: days and rows are those of the account that are visible. */
export type AccountLoad = {
  readonly id: number
  readonly cube: string
  readonly mode: LoadMode
  readonly loadedBy: string
  readonly startedAt: number
  readonly finishedAt: number | null
  readonly days: number
  readonly firstDay: Day
  readonly lastDay: Day
  /** Null where an earlier version loaded some of it. */
  readonly rows: number | null
  /** Null where the load holds facts of other accounts, too: both may tell about those. */
  readonly files: readonly LoadedFile[] | null
  /** Null there, too, and where none are on record. */
  readonly warnings: Findings | null
}

/** The loads that make up days of an account, newest first, at most `limit`, only those older than the load `before`. */
export async function listAccountLoads(
  store: Store,
  wanted: {
    readonly accountId: string
    readonly cube: string
    readonly before: number | undefined
    readonly limit: number
  },
): Promise<readonly AccountLoad[]> {
  const { accountId, cube, before, limit } = wanted
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

export type LoadedDay = {
  readonly day: Day
  /** Null where an earlier version loaded some of it. */
  readonly rows: number | null
  readonly loads: number
}

/** The days of an account that are loaded, from `oldest` on. */
export async function listLoadedDays(
  store: Store,
  { accountId, cube, oldest }: { readonly accountId: string; readonly cube: string; readonly oldest: Day },
): Promise<readonly LoadedDay[]> {
  return store
    .selectFrom('visibleLoads')
    .select('day')
    .select((sql) => [sumRows(sql).as('rows'), sql.fn.countAll<number>().as('loads')])
    .where('accountId', '=', accountId)
    .where('cube', '=', cube)
    .where('day', '>=', oldest)
    .groupBy('day')
    .orderBy('day')
    .execute()
}

/** Null where the rows of some are not on record. */
function sumRows(sql: ExpressionBuilder<Tables, 'visibleLoads'>): AliasableExpression<number | null> {
  return (
    sql
      .case()
      .when(sql.fn.count('visibleLoads.rows'), '=', sql.fn.countAll())
      // PostgreSQL's sum of whole numbers is of another type, which comes as text.
      .then(sql.cast<number>(sql.fn.sum('visibleLoads.rows'), 'bigint'))
      .end()
  )
}
