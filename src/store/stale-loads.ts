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
    .where('aliveAt', '<', silentSince)
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
    .where('sweptAt', 'is', null)
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
    .set({ sweptAt: now })
    .where('id', 'in', ids)
    .where('finishedAt', '<=', listedAt)
    .execute()
}

/** What was replaced before `before`, of one day at a time: an engine may keep days apart. */
export async function findRetiredDay(
  store: Store,
  { cube, before }: { readonly cube: string; readonly before: number },
): Promise<readonly StaleDay[]> {
  const due = (query: Store) =>
    query.selectFrom('retiredLoads').where('cube', '=', cube).where('retiredAt', '<', before)
  const first = await due(store).select('day').orderBy('day').limit(1).executeTakeFirst()
  if (!first) return []
  return due(store)
    .select(['accountId as account', 'day', 'loadId as load'])
    .where('day', '=', first.day)
    .limit(sweptAtOnce)
    .execute()
}

/** Forgets what was removed, and the appended files of loads that show nothing any more. */
export async function forgetRetired(store: Store, cube: string, stale: readonly StaleDay[]): Promise<void> {
  await store.transaction().execute(async (transaction) => {
    for (const { account, day, load } of stale) {
      await transaction
        .deleteFrom('retiredLoads')
        .where('cube', '=', cube)
        .where('accountId', '=', account)
        .where('day', '=', day)
        .where('loadId', '=', load)
        .execute()
    }
    await transaction
      .deleteFrom('appendedFiles')
      .where('loadId', 'in', [...new Set(stale.map(({ load }) => load))])
      .where((sql) =>
        sql.not(
          sql.exists(
            sql.selectFrom('visibleLoads').select('day').whereRef('visibleLoads.loadId', '=', 'appendedFiles.loadId'),
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
      .selectFrom('visibleLoads')
      .selectAll()
      .where('day', '<', oldest)
      .orderBy('day')
      .limit(sweptAtOnce)
      .execute()
    // In their order, because each change of visible loads changes the account's row (migration 016).
    await lockAccounts(transaction, [...new Set(old.map(({ accountId }) => accountId))])
    const gone: RetiredDay[] = []
    for (const { cube, accountId: account, day, loadId: load } of old) {
      const rows = await transaction
        .deleteFrom('visibleLoads')
        .where('cube', '=', cube)
        .where('accountId', '=', account)
        .where('day', '=', day)
        .where('loadId', '=', load)
        .returning(['cube', 'accountId', 'day', 'loadId'])
        .execute()
      // None where a load has replaced it meanwhile.
      gone.push(...rows)
    }
    await insertRetired(transaction, gone, now)
    return old.length > 0
  })
}
