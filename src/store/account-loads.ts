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
    .selectFrom('visible_loads')
    .innerJoin('loads', 'loads.id', 'visible_loads.load_id')
    .select(['loads.id', 'loads.cube', 'loads.mode', 'loads.loaded_by', 'loads.started_at', 'loads.finished_at'])
    .select((sql) => [
      sql.fn.countAll<number>().as('days'),
      sql.fn.min<Day>('visible_loads.day').as('first_day'),
      sql.fn.max<Day>('visible_loads.day').as('last_day'),
      sumRows(sql).as('rows'),
      sql.case().when('loads.accounts', '=', 1).then(sql.ref('loads.files')).end().as('files'),
      sql.case().when('loads.accounts', '=', 1).then(sql.ref('loads.warnings')).end().as('warnings'),
    ])
    .where('visible_loads.account_id', '=', accountId)
    .where('visible_loads.cube', '=', cube)
    .$if(before !== undefined, (some) => some.where('visible_loads.load_id', '<', before ?? 0))
    .groupBy('loads.id')
    .orderBy('loads.id', 'desc')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    id: row.id,
    cube: row.cube,
    mode: row.mode,
    loadedBy: row.loaded_by,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    days: row.days,
    firstDay: row.first_day,
    lastDay: row.last_day,
    rows: row.rows,
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
    .selectFrom('visible_loads')
    .select('day')
    .select((sql) => [sumRows(sql).as('rows'), sql.fn.countAll<number>().as('loads')])
    .where('account_id', '=', accountId)
    .where('cube', '=', cube)
    .where('day', '>=', oldest)
    .groupBy('day')
    .orderBy('day')
    .execute()
}

/** Null where the rows of some are not on record. */
function sumRows(sql: ExpressionBuilder<Tables, 'visible_loads'>): AliasableExpression<number | null> {
  return (
    sql
      .case()
      .when(sql.fn.count('visible_loads.rows'), '=', sql.fn.countAll())
      // PostgreSQL's sum of whole numbers is of another type, which comes as text.
      .then(sql.cast<number>(sql.fn.sum('visible_loads.rows'), 'bigint'))
      .end()
  )
}
