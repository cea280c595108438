import type { Selectable, Updateable } from 'kysely'
import type { Day } from '../query/day.ts'
import { insertAccount, lockAccounts } from './accounts.ts'
import { operator, recordAudit } from './audit.ts'
import type { Store } from './open-store.ts'
import type { LoadState, Tables } from './tables.ts'

export type AccountDay = { readonly account: string; readonly day: Day }

export type LoadMode = 'replace' | 'append'

/** The checksum is missing where the engine read the file itself. */
export type LoadedFile = {
  readonly name: string
  readonly bytes: number | null
  readonly checksum: string | null
}

export type Load = {
  readonly id: number
  readonly cube: string
  readonly state: LoadState
  readonly mode: LoadMode
  readonly loadedBy: string
  readonly files: readonly LoadedFile[]
  readonly startedAt: number
  readonly finishedAt: number | null
  readonly rows: number | null
  readonly accounts: number | null
  readonly firstDay: Day | null
  readonly lastDay: Day | null
  readonly failureReason: string | null
}

export async function beginLoad(
  store: Store,
  load: { cube: string; mode?: LoadMode; loadedBy?: string; now: number },
): Promise<number> {
  const { id } = await store
    .insertInto('loads')
    .values({
      cube: load.cube,
      state: 'loading',
      mode: load.mode ?? 'replace',
      loaded_by: load.loadedBy ?? '',
      files: '[]',
      started_at: load.now,
      alive_at: load.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

type Published = {
  readonly id: number
  readonly cube: string
  readonly mode?: LoadMode
  readonly days: readonly AccountDay[]
  readonly rows: number
  /** Makes the accounts that there are not yet. */
  readonly mayCreateAccounts?: boolean
  readonly files?: readonly LoadedFile[]
  readonly fingerprint?: string | null
  readonly now: number
}

export type PublishOutcome =
  | { readonly refusal: undefined; readonly created: readonly string[] }
  /** Days of it were replaced meanwhile by a load that was begun later. */
  | { readonly refusal: 'newer'; readonly load: number }
  /** The same was appended before, and is there. */
  | { readonly refusal: 'repeated'; readonly load: number }
  /** It was silent for so long that it was taken for dead. */
  | { readonly refusal: 'given_up' }

/** Few enough for one statement in either database. */
const daysAStatement = 400

/**
 * Swaps a load in, all of its days at once or none: from now on they are made of it alone or, where it is appended, of
 * it too. However long each takes, the outcome is as if loads had been made one after the other as they were begun.
 */
export async function publishLoad(store: Store, load: Published): Promise<PublishOutcome> {
  const { id, cube, mode = 'replace', now } = load
  const daysOf = Map.groupBy(load.days, ({ account }) => account)
  const record = {
    finished_at: now,
    rows: load.rows,
    accounts: daysOf.size,
    first_day: minOf(load.days),
    last_day: maxOf(load.days),
    files: JSON.stringify(load.files ?? []),
    fingerprint: load.fingerprint ?? null,
  }
  try {
    return await store.transaction().execute(async (transaction): Promise<PublishOutcome> => {
      if (!(await settle(transaction, id, { ...record, state: 'visible' }))) return { refusal: 'given_up' }
      const created = load.mayCreateAccounts ? await createMissing(transaction, [...daysOf.keys()], now) : []
      // One load at a time for an account: two that swapped the same day at once would both stay.
      if (!(await lockAccounts(transaction, [...daysOf.keys()]))) throw new Error('an account of the load is gone')

      const refusal = (await findNewer(transaction, load, daysOf)) ?? (await findRepeated(transaction, load))
      // Thrown, so that all is undone: a load that is refused makes no accounts either.
      if (refusal) throw new Refused(refusal)
      for (const [account, accountDays] of daysOf) {
        for (const days of chunksOf(accountDays, daysAStatement)) {
          if (mode === 'replace') await retire(transaction, { id, cube, account, days, now })
          await transaction
            .insertInto('visible_loads')
            .values(days.map((day) => ({ cube, account_id: account, day, load_id: id })))
            .execute()
        }
      }
      return { refusal: undefined, created }
    })
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    const { refusal, load: other } = error.outcome
    const end =
      refusal === 'repeated'
        ? ({ state: 'skipped' } as const)
        : ({ state: 'failed', failure_reason: `Load ${other}, begun later, has replaced days of it.` } as const)
    await settle(store, id, { ...record, ...end })
    return error.outcome
  }
}

type Refusal = Extract<PublishOutcome, { refusal: 'newer' | 'repeated' }>

class Refused extends Error {
  readonly outcome: Refusal

  constructor(outcome: Refusal) {
    super(outcome.refusal)
    this.outcome = outcome
  }
}

/** Gives a load its outcome; false where it has one. What is visible must never be taken for failed, and swept. */
async function settle(
  store: Store,
  id: number,
  outcome: Updateable<Tables['loads']> & { readonly state: Exclude<LoadState, 'loading'> },
): Promise<boolean> {
  const { numUpdatedRows } = await store
    .updateTable('loads')
    .set(outcome)
    .where('id', '=', id)
    .where('state', '=', 'loading')
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

async function createMissing(transaction: Store, ids: readonly string[], now: number): Promise<readonly string[]> {
  const created: string[] = []
  // In one order, as locks are taken.
  for (const id of ids.toSorted()) {
    if (!(await insertAccount(transaction, { id, name: id, createdAt: now }))) continue
    await recordAudit(transaction, { accountId: id, at: now, actor: operator, action: 'account.created', subject: id })
    created.push(id)
  }
  return created
}

async function retire(
  transaction: Store,
  { id, cube, account, days, now }: { id: number; cube: string; account: string; days: readonly Day[]; now: number },
): Promise<void> {
  const replaced = await transaction
    .deleteFrom('visible_loads')
    .where('cube', '=', cube)
    .where('account_id', '=', account)
    .where('day', 'in', days)
    // What was appended by a load begun later stays: it was meant to come on top.
    .where('load_id', '<', id)
    .returningAll()
    .execute()
  if (replaced.length === 0) return
  await transaction
    .insertInto('retired_loads')
    .values(replaced.map((row) => ({ ...row, retired_at: now })))
    .execute()
}

async function findNewer(
  transaction: Store,
  { id, cube }: Published,
  daysOf: ReadonlyMap<string, readonly AccountDay[]>,
): Promise<Refusal | undefined> {
  for (const [account, accountDays] of daysOf) {
    for (const days of chunksOf(accountDays, daysAStatement)) {
      const newer = await transaction
        .selectFrom('visible_loads')
        .innerJoin('loads', 'loads.id', 'visible_loads.load_id')
        .select('load_id')
        .where('visible_loads.cube', '=', cube)
        .where('account_id', '=', account)
        .where('day', 'in', days)
        .where('load_id', '>', id)
        .where('mode', '=', 'replace')
        .limit(1)
        .executeTakeFirst()
      if (newer) return { refusal: 'newer', load: newer.load_id }
    }
  }
  return undefined
}

async function findRepeated(transaction: Store, { id, cube, fingerprint }: Published): Promise<Refusal | undefined> {
  if (!fingerprint) return undefined
  const earlier = await transaction
    .selectFrom('loads')
    .innerJoin('visible_loads', 'visible_loads.load_id', 'loads.id')
    .select('loads.id')
    .where('loads.cube', '=', cube)
    .where('fingerprint', '=', fingerprint)
    .where('loads.id', '!=', id)
    .limit(1)
    .executeTakeFirst()
  return earlier && { refusal: 'repeated', load: earlier.id }
}

/** Says that the loader lives; false where it was given up. */
export async function keepLoadAlive(store: Store, id: number, now: number): Promise<boolean> {
  const { numUpdatedRows } = await store
    .updateTable('loads')
    .set({ alive_at: now })
    .where('id', '=', id)
    .where('state', '=', 'loading')
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Records how a load ended that shows nothing. One that has ended stays as it is. */
export async function endLoad(
  store: Store,
  load: {
    readonly id: number
    readonly state: 'failed' | 'skipped'
    readonly reason?: string
    readonly files?: readonly LoadedFile[]
    readonly now: number
  },
): Promise<void> {
  await settle(store, load.id, {
    state: load.state,
    finished_at: load.now,
    failure_reason: load.reason ?? null,
    ...(load.files && { files: JSON.stringify(load.files) }),
  })
}

/** The newest first. */
export async function listLoads(
  store: Store,
  { cube, before, limit }: { cube?: string | undefined; before?: number | undefined; limit: number },
): Promise<readonly (Load & { readonly visibleDays: number })[]> {
  const rows = await store
    .selectFrom('loads')
    .selectAll('loads')
    .select((sql) =>
      sql
        .selectFrom('visible_loads')
        .select((count) => count.fn.count<number>('day').distinct().as('days'))
        .whereRef('load_id', '=', 'loads.id')
        .as('visible_days'),
    )
    .$if(cube !== undefined, (some) => some.where('cube', '=', cube ?? ''))
    .$if(before !== undefined, (some) => some.where('id', '<', before ?? 0))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ ...toLoad(row), visibleDays: row.visible_days ?? 0 }))
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

/** The first and the last day that are loaded, of those that can be asked for; undefined where there is none. */
export async function findLoadedRange(
  store: Store,
  { cube, account, oldest }: { cube: string; account: string; oldest: Day },
): Promise<{ readonly start: Day; readonly end: Day } | undefined> {
  const { start, end } = await store
    .selectFrom('visible_loads')
    .select(({ fn }) => [fn.min<Day | null>('day').as('start'), fn.max<Day | null>('day').as('end')])
    .where('cube', '=', cube)
    .where('account_id', '=', account)
    .where('day', '>=', oldest)
    .executeTakeFirstOrThrow()
  return start === null || end === null ? undefined : { start, end }
}

const toLoad = (row: Selectable<Tables['loads']>): Load => ({
  id: row.id,
  cube: row.cube,
  state: row.state,
  mode: row.mode,
  loadedBy: row.loaded_by,
  files: JSON.parse(row.files) as readonly LoadedFile[],
  startedAt: row.started_at,
  finishedAt: row.finished_at,
  rows: row.rows,
  accounts: row.accounts,
  firstDay: row.first_day,
  lastDay: row.last_day,
  failureReason: row.failure_reason,
})

const minOf = (days: readonly AccountDay[]): Day | null => days.map(({ day }) => day).toSorted()[0] ?? null
const maxOf = (days: readonly AccountDay[]): Day | null =>
  days
    .map(({ day }) => day)
    .toSorted()
    .at(-1) ?? null

const chunksOf = (days: readonly AccountDay[], size: number): Day[][] =>
  Array.from({ length: Math.ceil(days.length / size) }, (_, index) =>
    days.slice(index * size, (index + 1) * size).map(({ day }) => day),
  )
