import type { Day } from '../query/day.ts'
import { insertAccount, lockAccounts } from './accounts.ts'
import { operator, recordAudit } from './audit.ts'
import { chunksOf } from './chunks-of.ts'
import { settleLoad, type AccountDay, type FiledDay, type Findings, type LoadedFile, type LoadMode } from './loads.ts'
import type { Store } from './open-store.ts'
import type { Tables } from './tables.ts'

type Published = {
  readonly id: number
  readonly cube: string
  readonly mode?: LoadMode
  readonly days: readonly FiledDay[]
  readonly rows: number
  /** Makes the accounts that there are not yet. */
  readonly mayCreateAccounts?: boolean
  readonly files?: readonly LoadedFile[]
  readonly warnings?: Findings
  /** Appends even files that were appended before. */
  readonly mayRepeat?: boolean
  readonly now: number
}

export type PublishOutcome =
  | { readonly refusal: undefined; readonly created: readonly string[] }
  /** Days of it were replaced meanwhile by a load that was begun later. */
  | { readonly refusal: 'newer'; readonly load: number }
  /** All of its files were appended before, and are there. */
  | { readonly refusal: 'repeated'; readonly load: number }
  /** Some of them were. */
  | { readonly refusal: 'partly_repeated'; readonly files: readonly { readonly name: string; readonly load: number }[] }
  /** It was silent for so long that it was taken for dead. */
  | { readonly refusal: 'given_up' }

/** Days or files: few enough for one statement in either database. */
const itemsAStatement = 400

/**
 * Swaps a load in, all of its days at once or none: from now on they are made of it alone or, where it is appended, of
 * it too. However long each takes, the outcome is as if loads had been made one after the other as they were begun.
 */
export async function publishLoad(store: Store, load: Published): Promise<PublishOutcome> {
  const { id, cube, mode = 'replace', now } = load
  const days = load.days.map(({ day }) => day).toSorted()
  const daysOf = Map.groupBy(load.days, ({ account }) => account)
  const record = {
    finishedAt: now,
    rows: load.rows,
    accounts: daysOf.size,
    firstDay: days[0] ?? null,
    lastDay: days.at(-1) ?? null,
    files: JSON.stringify(load.files ?? []),
    warnings: load.warnings ? JSON.stringify(load.warnings) : null,
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
        for (const some of chunksOf(accountDays, itemsAStatement)) {
          const days = some.map(({ day }) => day)
          if (mode === 'replace') await retire(transaction, { id, cube, account, days, now })
          const of = { cube, accountId: account, loadId: id }
          await transaction
            .insertInto('visibleLoads')
            .values(
              some.map(({ day, bytes = null, checksum = null, rows = null, rollup }) => ({
                ...of,
                day,
                bytes,
                checksum,
                rows,
                rollupBytes: rollup?.bytes ?? null,
                rollupChecksum: rollup?.checksum ?? null,
                rollupRows: rollup?.rows ?? null,
                rollupHas: rollup?.has ?? null,
              })),
            )
            .execute()
        }
      }
      if (mode === 'append') await rememberFiles(transaction, load)
      return { refusal: undefined, created }
    })
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    const { outcome } = error
    await settleLoad(store, id, { ...record, ...endOf(outcome) })
    return outcome
  }
}

type Refusal = Extract<PublishOutcome, { refusal: 'newer' | 'repeated' | 'partly_repeated' }>

function endOf(refused: Refusal) {
  if (refused.refusal === 'repeated') return { state: 'skipped' } as const
  const reason =
    refused.refusal === 'newer'
      ? `Load ${refused.load}, begun later, has replaced days of it.`
      : `${refused.files.length} of its files were appended before, the first of them in load ${refused.files[0]?.load}.`
  return { state: 'failed', failureReason: reason } as const
}

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
    .deleteFrom('visibleLoads')
    .where('cube', '=', cube)
    .where('accountId', '=', account)
    .where('day', 'in', days)
    // What was appended by a load begun later stays: it was meant to come on top.
    .where('loadId', '<', id)
    .returning(['cube', 'accountId', 'day', 'loadId'])
    .execute()
  await insertRetired(transaction, replaced, now)
}

export type RetiredDay = Omit<Tables['retiredLoads'], 'retiredAt'>

/** Remembers what is not visible any more, until it is swept. */
export async function insertRetired(transaction: Store, rows: readonly RetiredDay[], now: number): Promise<void> {
  for (const some of chunksOf(rows, itemsAStatement)) {
    await transaction
      .insertInto('retiredLoads')
      .values(some.map((row) => ({ ...row, retiredAt: now })))
      .execute()
  }
}

async function findNewer(
  transaction: Store,
  { id, cube }: Published,
  daysOf: ReadonlyMap<string, readonly AccountDay[]>,
): Promise<Refusal | undefined> {
  for (const [account, accountDays] of daysOf) {
    for (const days of chunksOf(
      accountDays.map(({ day }) => day),
      itemsAStatement,
    )) {
      const newer = await transaction
        .selectFrom('visibleLoads')
        .innerJoin('loads', 'loads.id', 'visibleLoads.loadId')
        .select('loadId')
        .where('visibleLoads.cube', '=', cube)
        .where('accountId', '=', account)
        .where('day', 'in', days)
        .where('loadId', '>', id)
        .where('mode', '=', 'replace')
        .limit(1)
        .executeTakeFirst()
      if (newer) return { refusal: 'newer', load: newer.loadId }
    }
  }
  return undefined
}

/** Twice is doubled revenue, so of what was appended before nothing is taken, and nothing of what comes with it. */
async function findRepeated(
  transaction: Store,
  { cube, mode, files = [], mayRepeat = false }: Published,
): Promise<Refusal | undefined> {
  if (mode !== 'append' || mayRepeat) return undefined
  const loadOf = new Map<string, number>()
  for (const checksums of chunksOf(
    files.map(({ checksum }) => checksum),
    itemsAStatement,
  )) {
    const known = await transaction
      .selectFrom('appendedFiles')
      .innerJoin('visibleLoads', 'visibleLoads.loadId', 'appendedFiles.loadId')
      .select(['appendedFiles.checksum', 'appendedFiles.loadId as load'])
      .distinct()
      .where('cube', '=', cube)
      .where('appendedFiles.checksum', 'in', checksums)
      .execute()
    for (const { checksum, load } of known) loadOf.set(checksum, load)
  }
  const repeated = files.flatMap(({ name, checksum }) => {
    const load = loadOf.get(checksum)
    return load === undefined ? [] : [{ name, load }]
  })
  const [first] = repeated
  if (!first) return undefined
  return repeated.length === files.length
    ? { refusal: 'repeated', load: first.load }
    : { refusal: 'partly_repeated', files: repeated }
}

async function rememberFiles(transaction: Store, { id, files = [] }: Published): Promise<void> {
  const checksums = new Set(files.map(({ checksum }) => checksum))
  for (const some of chunksOf([...checksums], itemsAStatement)) {
    await transaction
      .insertInto('appendedFiles')
      .values(some.map((checksum) => ({ checksum, loadId: id })))
      .execute()
  }
}
