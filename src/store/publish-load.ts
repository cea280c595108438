import type { Day } from '../query/day.ts'
import { insertAccount, lockAccounts } from './accounts.ts'
import { operator, recordAudit } from './audit.ts'
import { settleLoad, type AccountDay, type LoadedFile, type LoadMode } from './loads.ts'
import type { Store } from './open-store.ts'

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
  const days = load.days.map(({ day }) => day).toSorted()
  const daysOf = Map.groupBy(load.days, ({ account }) => account)
  const record = {
    finished_at: now,
    rows: load.rows,
    accounts: daysOf.size,
    first_day: days[0] ?? null,
    last_day: days.at(-1) ?? null,
    files: JSON.stringify(load.files ?? []),
    fingerprint: load.fingerprint ?? null,
  }
  try {
    return await store.transaction().execute(async (transaction): Promise<PublishOutcome> => {
      if (!(await settleLoad(transaction, id, { ...record, state: 'visible' }))) return { refusal: 'given_up' }
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
    await settleLoad(store, id, { ...record, ...end })
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

const chunksOf = (days: readonly AccountDay[], size: number): Day[][] =>
  Array.from({ length: Math.ceil(days.length / size) }, (_, index) =>
    days.slice(index * size, (index + 1) * size).map(({ day }) => day),
  )
