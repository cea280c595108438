import type { Day } from '../query/day.ts'
import { insertAccount, lockAccounts } from '../store/accounts.ts'
import { operator, recordAudit } from '../store/audit.ts'
import { chunksOf } from '../store/chunks-of.ts'
import type { Findings, LoadedFile, LoadMode } from '../store/loads.ts'
import type { Store } from '../store/open-store.ts'
import type { Tables } from '../store/tables.ts'
import { addFindings, fileFault, LoadRefused } from './load-refused.ts'
import { endedBySweep, updateOpenLoad } from './load-state.ts'
import type { FactFile } from './split-stage.ts'
import type { RollupFile } from './write-rollup.ts'

/** A day of an account, and what is recorded about its file. */
export type FiledDay = Pick<FactFile, 'account' | 'day'> &
  Partial<Pick<FactFile, 'bytes' | 'checksum' | 'rows'>> & { readonly rollup?: Omit<RollupFile, 'path'> | undefined }

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

/**
 * Makes all days of a load visible in one transaction. From then on they consist of this load alone or, if it appends, of
 * this load too. Loads take effect in the order in which they were begun, however long each takes.
 */
export async function publishLoad(store: Store, load: Published): Promise<PublishOutcome> {
  const { id, cube, mode = 'replace', files = [], warnings, now } = load
  const days = load.days.map(({ day }) => day).toSorted()
  const daysOf = Map.groupBy(load.days, ({ account }) => account)
  const accounts = [...daysOf.keys()]
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
    return await store.transaction().execute(async (transaction) => {
      if (!(await updateOpenLoad(transaction, id, { ...record, state: 'visible' }))) {
        throw new Refused({ refusal: 'given_up' })
      }
      const created = load.mayCreateAccounts ? await createMissing(transaction, accounts, now) : []
      // Two loads that replaced the same day at the same time would both stay visible.
      if (!(await lockAccounts(transaction, accounts))) throw new Error('an account of the load is gone')
      for (const [account, accountDays] of daysOf) {
        for (const some of chunksOf(accountDays, itemsAtOnce)) {
          const replaced = { id, cube, account, days: some.map(({ day }) => day) }
          await refuseOvertaken(transaction, replaced)
          if (mode === 'replace') await retire(transaction, replaced, now)
        }
      }
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
      const visible = load.days.map(({ account, day, bytes = null, checksum = null, rows = null, rollup }) => ({
        cube,
        accountId: account,
        day,
        loadId: id,
        bytes,
        checksum,
        rows,
        rollupBytes: rollup?.bytes ?? null,
        rollupChecksum: rollup?.checksum ?? null,
        rollupRows: rollup?.rows ?? null,
        rollupHas: rollup?.has ?? null,
      }))
      for (const some of chunksOf(visible, itemsAtOnce)) {
        await transaction.insertInto('visibleLoads').values(some).execute()
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

/** Days of an account that a load brings. */
type LoadDays = { readonly id: number; readonly cube: string; readonly account: string; readonly days: readonly Day[] }

async function refuseOvertaken(transaction: Store, { id, cube, account, days }: LoadDays): Promise<void> {
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
  if (newer) throw new Refused({ refusal: 'newer', load: newer.loadId })
}

async function retire(transaction: Store, { id, cube, account, days }: LoadDays, now: number): Promise<void> {
  const replaced = await transaction
    .deleteFrom('visibleLoads')
    .where('cube', '=', cube)
    .where('accountId', '=', account)
    .where('day', 'in', days)
    // Facts that a later load has appended stay.
    .where('loadId', '<', id)
    .returning(['cube', 'accountId', 'day', 'loadId'])
    .execute()
  await insertRetired(transaction, replaced, now)
}

export type RetiredDay = Omit<Tables['retiredLoads'], 'retiredAt'>

/** Records what is not visible any more, until it is swept. */
export async function insertRetired(transaction: Store, rows: readonly RetiredDay[], now: number): Promise<void> {
  const retired = rows.map((row) => ({ ...row, retiredAt: now }))
  for (const some of chunksOf(retired, itemsAtOnce)) await transaction.insertInto('retiredLoads').values(some).execute()
}

/** Refuses a load if any of its files was appended before: loading it twice would double its revenue. */
async function refuseRepeated(transaction: Store, cube: string, files: readonly LoadedFile[]): Promise<void> {
  const loadOf = new Map<string, number>()
  for (const some of chunksOf(files, itemsAtOnce)) {
    const known = await transaction
      .selectFrom('appendedFiles')
      .innerJoin('visibleLoads', 'visibleLoads.loadId', 'appendedFiles.loadId')
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
