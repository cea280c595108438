import { sql } from 'kysely'
import { insertAccount, lockAccounts } from '../store/accounts.ts'
import { operator, recordAudit } from '../store/audit.ts'
import { chunksOf } from '../store/chunks-of.ts'
import type { Findings, LoadedFile, LoadMode } from '../store/loads.ts'
import type { Store } from '../store/open-store.ts'
import { isPostgres } from '../store/postgres.ts'
import { addFindings, fileFault, LoadRefused } from './load-refused.ts'
import { endedBySweep, updateOpenLoad } from './load-state.ts'
import { dropStaged, fileColumns, sharedColumns, stageDays, type FiledDay } from './stage-days.ts'

type Published = {
  readonly id: number
  readonly cube: string
  readonly mode?: LoadMode
  readonly days: readonly FiledDay[]
  readonly rows: number
  /** Creates accounts that do not exist. */
  readonly mayCreateAccounts?: boolean
  readonly files?: readonly LoadedFile[]
  readonly warnings?: Findings
  /** Appends files again that were appended before. */
  readonly mayRepeat?: boolean
  readonly now: number
}

type Refusal =
  /** A load that was begun later has replaced some of its days. */
  | { readonly refusal: 'newer'; readonly load: number }
  /** All of its files were appended before and are visible. */
  | { readonly refusal: 'repeated'; readonly load: number }
  /** Some of them were. */
  | { readonly refusal: 'partly_repeated'; readonly files: readonly { readonly name: string; readonly load: number }[] }
  /** A sweep has ended it for its silence. */
  | { readonly refusal: 'given_up' }

export type PublishOutcome = { readonly refusal: undefined; readonly created: readonly string[] } | Refusal

class Refused extends Error {
  readonly outcome: Refusal

  constructor(outcome: Refusal) {
    super(outcome.refusal)
    this.outcome = outcome
  }
}

/** Few enough for one statement in either database. */
const itemsAtOnce = 400
/** Few enough for a statement of PostgreSQL to end in time, also if each account has a year of days. */
const accountsAtOnce = 100

/**
 * Makes all days of a load visible in one transaction. From then on they consist of this load alone or, if it appends, of
 * this load too. Loads take effect in the order in which they were begun, however long each takes. The days are staged
 * first, because the transaction holds SQLite's only write lock.
 */
export async function publishLoad(store: Store, load: Published): Promise<PublishOutcome> {
  const { id, cube, mode = 'replace', files = [], warnings, now } = load
  const days = load.days.map(({ day }) => day).toSorted()
  const accounts = [...new Set(load.days.map(({ account }) => account))]
  const record = {
    finishedAt: now,
    rows: load.rows,
    accounts: accounts.length,
    firstDay: days[0] ?? null,
    lastDay: days.at(-1) ?? null,
    files: JSON.stringify(files),
    warnings: warnings ? JSON.stringify(warnings) : null,
  }
  try {
    await stageDays(store, id, load.days)
    return await store.transaction().execute(async (transaction) => {
      if (!(await updateOpenLoad(transaction, id, { ...record, state: 'visible' }))) {
        throw new Refused({ refusal: 'given_up' })
      }
      const created = load.mayCreateAccounts ? await createMissing(transaction, accounts, now) : []
      // Two loads that replaced the same day at the same time would both stay visible.
      if (!(await lockAccounts(transaction, accounts))) throw new Error('an account of the load is gone')
      await refuseOvertaken(transaction, load)
      if (isPostgres(store)) await avoidNestedLoops(transaction)
      for (const some of chunksOf(accounts, accountsAtOnce)) {
        if (mode === 'replace') await retireReplaced(transaction, load, some)
        await showStaged(transaction, load, some)
      }
      await requireAllShown(transaction, load)
      if (mode === 'append') {
        if (!load.mayRepeat) await refuseRepeated(transaction, cube, files)
        const appended = [...new Set(files.map(({ checksum }) => checksum))].map((checksum) => ({
          checksum,
          loadId: id,
        }))
        for (const some of chunksOf(appended, itemsAtOnce)) {
          await transaction.insertInto('appendedFiles').values(some).execute()
        }
      }
      return { refusal: undefined, created }
    })
  } catch (error) {
    // Thrown to roll back: a refused load creates no accounts either.
    if (!(error instanceof Refused)) throw error
    const { outcome } = error
    const failure = explainRefusal(outcome)
    const state = failure ? 'failed' : 'skipped'
    await updateOpenLoad(store, id, { ...record, state, failureReason: failure?.message ?? null })
    return outcome
  } finally {
    // A sweep deletes what cannot be deleted now.
    await dropStaged(store, id).catch(() => {})
  }
}

/** Returns the error of a load that was not published; undefined if it adds nothing because it is a repeat. */
export function explainRefusal(outcome: Refusal): Error | undefined {
  switch (outcome.refusal) {
    case 'newer':
      return new Error(
        `Load ${outcome.load}, which was begun later, has replaced days of these files; nothing was loaded.`,
      )
    case 'partly_repeated': {
      const reason = (load: number): string => `was already appended, in load ${load}; omit it, or use --repeat`
      return new LoadRefused(addFindings(...outcome.files.map(({ name, load }) => fileFault(name, reason(load)))))
    }
    case 'given_up':
      return new Error(endedBySweep)
    case 'repeated':
      return undefined
  }
}

async function createMissing(transaction: Store, ids: readonly string[], now: number): Promise<readonly string[]> {
  const created: string[] = []
  // Sorted, so that two loads never wait for each other's accounts.
  for (const id of ids.toSorted()) {
    if (!(await insertAccount(transaction, { id, name: id, createdAt: now }))) continue
    await recordAudit(transaction, { accountId: id, at: now, actor: operator, action: 'account.created', subject: id })
    created.push(id)
  }
  return created
}

/** Refuses a load if one that was begun later has replaced some of its days. */
async function refuseOvertaken(transaction: Store, { id, cube }: Published): Promise<void> {
  // Joined in this order, because mostly there are no later loads. SQLite keeps the order of CROSS JOIN.
  const { rows } = await sql<{ load: number }>`
    SELECT loads.id AS load FROM loads CROSS JOIN visible_loads AS shown CROSS JOIN staged_days AS staged
    WHERE loads.id > ${id} AND loads.cube = ${cube} AND loads.mode = 'replace'
      AND shown.load_id = loads.id AND shown.cube = ${cube}
      AND staged.load_id = ${id} AND staged.account_id = shown.account_id AND staged.day = shown.day
    LIMIT 1`.execute(transaction)
  if (rows[0]) throw new Refused({ refusal: 'newer', load: rows[0].load })
}

/** PostgreSQL has no statistics of rows that were just written. It takes them for a few, and would compare all with all. */
async function avoidNestedLoops(transaction: Store): Promise<void> {
  await sql`SET LOCAL enable_nestloop = off`.execute(transaction)
  await sql`SET LOCAL enable_seqscan = off`.execute(transaction)
}

/** Retires the days of some accounts that a load replaces. */
async function retireReplaced(
  transaction: Store,
  { id, cube, now }: Published,
  accounts: readonly string[],
): Promise<void> {
  // Facts that a later load has appended stay.
  const replaced = sql`
    SELECT shown.cube, shown.account_id, shown.day, shown.load_id, CAST(${now} AS bigint)
    FROM staged_days AS staged CROSS JOIN visible_loads AS shown
    WHERE staged.load_id = ${id} AND staged.account_id IN (${sql.join(accounts)})
      AND shown.account_id IN (${sql.join(accounts)}) AND shown.cube = ${cube}
      AND shown.account_id = staged.account_id AND shown.day = staged.day AND shown.load_id < ${id}`
  await sql`INSERT INTO retired_loads (${sharedColumns}, retired_at) ${replaced}`.execute(transaction)
  await sql`DELETE FROM visible_loads WHERE (${sharedColumns}, CAST(${now} AS bigint)) IN (${replaced})`.execute(
    transaction,
  )
}

/** Makes the staged days of some accounts visible. */
async function showStaged(transaction: Store, { id, cube }: Published, accounts: readonly string[]): Promise<void> {
  await sql`INSERT INTO visible_loads (${sharedColumns}, ${fileColumns})
    SELECT ${cube}, account_id, day, load_id, ${fileColumns} FROM staged_days
    WHERE load_id = ${id} AND account_id IN (${sql.join(accounts)})`.execute(transaction)
}

/** Throws if only a part of a load has become visible, whatever happened to its staged days. */
async function requireAllShown(transaction: Store, { id, days }: Published): Promise<void> {
  const { count } = await transaction
    .selectFrom('visibleLoads')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('loadId', '=', id)
    .executeTakeFirstOrThrow()
  if (count !== days.length) throw new Error('the staged days of the load are incomplete')
}

/** Refuses a load if any of its files was appended before: loading it twice would double its revenue. */
async function refuseRepeated(transaction: Store, cube: string, files: readonly LoadedFile[]): Promise<void> {
  const loadOf = new Map<string, number>()
  for (const some of chunksOf(files, itemsAtOnce)) {
    const known = await transaction
      .selectFrom('appendedFiles')
      .innerJoin(
        // Days that were retired by age become visible again if the clock was wrong.
        (db) =>
          db
            .selectFrom('visibleLoads')
            .select(['loadId', 'cube'])
            .union(db.selectFrom('retiredLoads').select(['loadId', 'cube']).where('byAge', '=', 1))
            .as('shown'),
        (join) => join.onRef('shown.loadId', '=', 'appendedFiles.loadId'),
      )
      .select(['appendedFiles.checksum', 'appendedFiles.loadId as load'])
      .distinct()
      .where('cube', '=', cube)
      .where(
        'appendedFiles.checksum',
        'in',
        some.map(({ checksum }) => checksum),
      )
      .execute()
    for (const { checksum, load } of known) loadOf.set(checksum, load)
  }
  const repeated = files.flatMap(({ name, checksum }) => {
    const load = loadOf.get(checksum)
    return load === undefined ? [] : [{ name, load }]
  })
  const [first] = repeated
  if (!first) return
  throw new Refused(
    repeated.length === files.length
      ? { refusal: 'repeated', load: first.load }
      : { refusal: 'partly_repeated', files: repeated },
  )
}
