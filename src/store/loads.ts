import type { Day } from '../query/day.ts'
import { lockAccounts } from './accounts.ts'
import type { Store } from './open-store.ts'

export type AccountDay = { readonly account: string; readonly day: Day }

export async function beginLoad(store: Store, load: { cube: string; now: number }): Promise<number> {
  const { id } = await store
    .insertInto('loads')
    .values({ cube: load.cube, state: 'loading', started_at: load.now, finished_at: null, rows: null })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Swaps a load in: its days are from now on made of it alone, all of them at once or none. */
export async function publishLoad(
  store: Store,
  load: { id: number; cube: string; days: readonly AccountDay[]; rows: number; now: number },
): Promise<void> {
  await store.transaction().execute(async (transaction) => {
    // One load at a time for an account: two that swapped the same day at once would both stay.
    await lockAccounts(transaction, [...new Set(load.days.map(({ account }) => account))])
    for (const { account, day } of load.days) {
      await transaction
        .deleteFrom('visible_loads')
        .where('cube', '=', load.cube)
        .where('account_id', '=', account)
        .where('day', '=', day)
        .execute()
      await transaction
        .insertInto('visible_loads')
        .values({ cube: load.cube, account_id: account, day, load_id: load.id })
        .execute()
    }
    await transaction
      .updateTable('loads')
      .set({ state: 'visible', finished_at: load.now, rows: load.rows })
      .where('id', '=', load.id)
      .execute()
  })
}

/** The loads that make up the days of a range, in the order of the days. */
export async function findVisibleLoads(
  store: Store,
  range: { cube: string; account: string; start: Day; end: Day },
): Promise<readonly { readonly day: Day; readonly load: number }[]> {
  return store
    .selectFrom('visible_loads')
    .select(['day', 'load_id as load'])
    .where('cube', '=', range.cube)
    .where('account_id', '=', range.account)
    .where('day', '>=', range.start)
    .where('day', '<=', range.end)
    .orderBy('day')
    .orderBy('load_id')
    .execute()
}

/** The first and the last day that are loaded, or undefined where none is. */
export async function findLoadedRange(
  store: Store,
  { cube, account }: { cube: string; account: string },
): Promise<{ readonly start: Day; readonly end: Day } | undefined> {
  const { start, end } = await store
    .selectFrom('visible_loads')
    .select(({ fn }) => [fn.min<Day | null>('day').as('start'), fn.max<Day | null>('day').as('end')])
    .where('cube', '=', cube)
    .where('account_id', '=', account)
    .executeTakeFirstOrThrow()
  return start === null || end === null ? undefined : { start, end }
}
