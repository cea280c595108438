import type { Day } from '../query/day.ts'
import { lockAccounts } from './accounts.ts'
import { failLoad, type AccountDay } from './loads.ts'
import { insertRetired, type RetiredDay } from './publish-load.ts'
import type { Store } from './open-store.ts'

/** More than fits into one statement comes with the next round. */
const sweptAtOnce = 1_000

export type StaleDay = AccountDay & { readonly load: number }

/** Ends loads whose loader has been silent since `silentSince`. */
export async function giveUpSilentLoads(
  store: Store,
  { silentSince, now }: { readonly silentSince: number; readonly now: number },
): Promise<void> {
  const silent = await store
    .selectFrom('loads')
    .select('id')
    .where('state', '=', 'loading')
    .where('alive_at', '<', silentSince)
    .limit(sweptAtOnce)
    .execute()
  for (const { id } of silent) {
    await failLoad(store, { id, reason: 'The load was interrupted.', now })
  }
}

/** Loads that show nothing and may have left facts behind. */
export async function listUnsweptLoads(store: Store, cube: string): Promise<readonly number[]> {
  const rows = await store
    .selectFrom('loads')
    .select('id')
    .where('cube', '=', cube)
    .where('state', 'in', ['failed', 'skipped'])
    .where('swept_at', 'is', null)
    .limit(sweptAtOnce)
    .execute()
  return rows.map(({ id }) => id)
}

/** But for those that ended, again, since they were listed. */
export async function markLoadsSwept(
  store: Store,
  ids: readonly number[],
  { listedAt, now }: { readonly listedAt: number; readonly now: number },
): Promise<void> {
  await store
    .updateTable('loads')
    .set({ swept_at: now })
    .where('id', 'in', ids)
    .where('finished_at', '<=', listedAt)
    .execute()
}

/** What was replaced before `before`, of one day at a time: an engine may keep days apart. */
export async function findRetiredDay(
  store: Store,
  { cube, before }: { readonly cube: string; readonly before: number },
): Promise<readonly StaleDay[]> {
  const due = (query: Store) =>
    query.selectFrom('retired_loads').where('cube', '=', cube).where('retired_at', '<', before)
  const first = await due(store).select('day').orderBy('day').limit(1).executeTakeFirst()
  if (!first) return []
  return due(store)
    .select(['account_id as account', 'day', 'load_id as load'])
    .where('day', '=', first.day)
    .limit(sweptAtOnce)
    .execute()
}

/** Forgets what was removed, and the appended files of loads that show nothing any more. */
export async function forgetRetired(store: Store, cube: string, stale: readonly StaleDay[]): Promise<void> {
  await store.transaction().execute(async (transaction) => {
    for (const { account, day, load } of stale) {
      await transaction
        .deleteFrom('retired_loads')
        .where('cube', '=', cube)
        .where('account_id', '=', account)
        .where('day', '=', day)
        .where('load_id', '=', load)
        .execute()
    }
    await transaction
      .deleteFrom('appended_files')
      .where('load_id', 'in', [...new Set(stale.map(({ load }) => load))])
      .where((sql) =>
        sql.not(
          sql.exists(
            sql
              .selectFrom('visible_loads')
              .select('day')
              .whereRef('visible_loads.load_id', '=', 'appended_files.load_id'),
          ),
        ),
      )
      .execute()
  })
}

/** Lets some of the days before `oldest` go, like days that were replaced; false where there are no more. */
export async function retireDaysBefore(store: Store, oldest: Day, now: number): Promise<boolean> {
  return store.transaction().execute(async (transaction) => {
    const old = await transaction
      .selectFrom('visible_loads')
      .selectAll()
      .where('day', '<', oldest)
      .orderBy('day')
      .limit(sweptAtOnce)
      .execute()
    // In their order, because each change of visible loads changes the account's row (migration 016).
    await lockAccounts(transaction, [...new Set(old.map(({ account_id: account }) => account))])
    const gone: RetiredDay[] = []
    for (const { cube, account_id: account, day, load_id: load } of old) {
      const rows = await transaction
        .deleteFrom('visible_loads')
        .where('cube', '=', cube)
        .where('account_id', '=', account)
        .where('day', '=', day)
        .where('load_id', '=', load)
        .returning(['cube', 'account_id', 'day', 'load_id'])
        .execute()
      // None where a load has replaced it meanwhile.
      gone.push(...rows)
    }
    await insertRetired(transaction, gone, now)
    return old.length > 0
  })
}
