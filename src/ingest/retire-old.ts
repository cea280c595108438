import { sql } from 'kysely'
import type { Logger } from 'pino'
import { addDays, dayMs, dayOf, type Day } from '../query/day.ts'
import { oldestDayKept } from '../query/parse-range.ts'
import { lockAccounts } from '../store/accounts.ts'
import { chunksOf } from '../store/chunks-of.ts'
import type { Store } from '../store/open-store.ts'
import { fileColumns, sharedColumns } from './stage-days.ts'

/** A day becomes too old every day. More than a week of them at once is more likely a wrong clock. */
const daysAtOnce = 7
/** The next statement handles the rest. */
const rowsAtOnce = 1_000
/** Few enough for one statement in either database. */
const accountsAtOnce = 400

/** The oldest day to keep: one more than a query may ask for, because a job accepted before midnight may run after it. */
export const oldestDayDue = (now: number): Day => oldestDayKept(addDays(dayOf(now), -1))

type Deps = { readonly store: Store; readonly log: Logger; readonly now: () => number }

/** Retires days that are too old, unless they are more than the operator has to confirm. */
export async function retireOldDays({ store, log, now }: Deps, throwIfOver: () => void = () => {}): Promise<void> {
  const oldest = oldestDayDue(now())
  if (await hasManyDaysBefore(store, oldest)) {
    log.warn({ oldest }, `more than ${daysAtOnce} days are too old: run \`adcube retire\` to see and to confirm`)
    return
  }
  while (await retireDaysBefore(store, oldest, now())) throwIfOver()
}

export async function hasManyDaysBefore(store: Store, oldest: Day): Promise<boolean> {
  const days = await store
    .selectFrom('visibleLoads')
    .select('day')
    .distinct()
    .where('day', '<', oldest)
    .orderBy('day')
    .limit(daysAtOnce + 1)
    .execute()
  return days.length > daysAtOnce
}

/** Lists what is too old, by cube. */
export const listDaysBefore = (store: Store, oldest: Day) =>
  store
    .selectFrom('visibleLoads')
    .select('cube')
    .select(({ fn }) => [
      fn.count<number>('day').distinct().as('days'),
      fn.min<Day>('day').as('firstDay'),
      fn.max<Day>('day').as('lastDay'),
      fn.countAll<number>().as('accountDays'),
    ])
    .where('day', '<', oldest)
    .groupBy('cube')
    .orderBy('cube')
    .execute()

/** Retires some of the days before `oldest`; returns false if there were none. */
export async function retireDaysBefore(store: Store, oldest: Day, now: number): Promise<boolean> {
  return store.transaction().execute(async (transaction) => {
    const old = await transaction
      .selectFrom('visibleLoads')
      .select(['cube', 'accountId', 'day'])
      .where('day', '<', oldest)
      .orderBy('day')
      .limit(rowsAtOnce)
      .execute()
    await lockAccounts(transaction, [...new Set(old.map(({ accountId }) => accountId))])
    for (const { cube, day, accounts } of groupDays(old)) {
      // A load may have replaced them meanwhile, and its facts are too old, too.
      const these = sql`FROM visible_loads WHERE cube = ${cube} AND day = ${day} AND account_id IN (${sql.join(accounts)})`
      // They stay on disk for a day longer than replaced ones, in case the clock is wrong.
      const retiredAt = sql`CAST(${now + dayMs} AS bigint)`
      await sql`INSERT INTO retired_loads (${sharedColumns}, ${fileColumns}, retired_at, by_age)
        SELECT ${sharedColumns}, ${fileColumns}, ${retiredAt}, 1 ${these}`.execute(transaction)
      await sql`DELETE ${these}`.execute(transaction)
    }
    return old.length > 0
  })
}

/**
 * Makes days visible again that were retired by a clock that was ahead, and are not older than `oldest`. Returns false if
 * there were none. Call it while no facts are being removed.
 */
export async function restoreDays(store: Store, oldest: Day): Promise<boolean> {
  return store.transaction().execute(async (transaction) => {
    const early = await transaction
      .selectFrom('retiredLoads')
      .select(['cube', 'accountId', 'day'])
      .where(sql<boolean>`by_age = 1`)
      .where('day', '>=', oldest)
      .limit(rowsAtOnce)
      .execute()
    await lockAccounts(transaction, [...new Set(early.map(({ accountId }) => accountId))])
    for (const { cube, day, accounts } of groupDays(early)) {
      const these = sql`by_age = 1 AND cube = ${cube} AND day = ${day} AND account_id IN (${sql.join(accounts)})`
      await sql`INSERT INTO visible_loads (${sharedColumns}, ${fileColumns})
        SELECT ${sharedColumns}, ${fileColumns} FROM retired_loads AS old
        WHERE ${these} AND NOT ${isReplacedIn('visible_loads')} AND NOT ${isReplacedIn('retired_loads')}`.execute(
        transaction,
      )
      await sql`DELETE FROM retired_loads WHERE ${these} AND (account_id, cube, day, load_id) IN (
        SELECT account_id, cube, day, load_id FROM visible_loads WHERE cube = ${cube} AND day = ${day})`.execute(
        transaction,
      )
      // The others have been replaced.
      await sql`UPDATE retired_loads SET by_age = 0 WHERE ${these}`.execute(transaction)
    }
    return early.length > 0
  })
}

/** Checks that a later load has replaced the day of the row `old`. */
const isReplacedIn = (table: 'visible_loads' | 'retired_loads') => sql`EXISTS (
  SELECT 1 FROM ${sql.table(table)} AS later JOIN loads ON loads.id = later.load_id
  WHERE later.account_id = old.account_id AND later.cube = old.cube AND later.day = old.day
    AND later.load_id > old.load_id AND loads.mode = 'replace')`

/** Groups days of accounts by cube and day. */
function* groupDays(rows: readonly { readonly cube: string; readonly day: Day; readonly accountId: string }[]) {
  for (const some of Map.groupBy(rows, ({ cube, day }) => `${cube} ${day}`).values()) {
    const { cube, day } = some[0]!
    const accounts = [...new Set(some.map(({ accountId }) => accountId))]
    for (const part of chunksOf(accounts, accountsAtOnce)) yield { cube, day, accounts: part }
  }
}
