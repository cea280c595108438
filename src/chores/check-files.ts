import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import { findCube } from '../catalog/cubes.ts'
import type { Damage, Facts, RecordedDay } from '../facts/facts.ts'
import { mergeAppended } from '../ingest/load-facts.ts'
import { dayMs } from '../query/day.ts'
import { recordDamage } from '../store/damaged-files.ts'
import type { Store } from '../store/open-store.ts'
import type { Tables } from '../store/tables.ts'

type Deps = {
  readonly facts: Facts
  readonly store: Store
  readonly log: Logger
  readonly now: () => number
}

/** All files are read in this time; with pauses, within a week. */
const roundMs = 6 * dayMs
/** After a pause, no more is read at once than in this time. */
const pauseMsMax = 10 * 60_000
/** With several nodes, the chore runs several times a minute. */
const idleMs = 30_000
/** The sizes of all files are added up this often. */
const countMs = 60 * 60_000
/** Days of files without a recorded size are not bounded by bytes. */
const daysMax = 1_000
/** Damaged files are looked at again after this time, and forgotten when they are in order or gone. */
const againMs = 15 * 60_000
const againMax = 20

type Round = Tables['fileChecks']
type DayKey = Pick<Round, 'accountId' | 'cube' | 'day'>

const start = { name: 'facts', accountId: '', cube: '', day: '', bytesDue: 0 } as const

/** Checks stored files by their recorded checksums, a few each minute, so that damage is found before it is asked for. */
export async function checkFiles(deps: Deps, throwIfOver: () => void = () => {}): Promise<void> {
  const { facts, store, now } = deps
  if (!facts.findDamage) return
  await checkDamagedAgain(deps, throwIfOver)
  const round = await store.selectFrom('fileChecks').selectAll().executeTakeFirst()
  if (!round) return saveRound(store, { ...start, ...(await countBytes(deps, throwIfOver)), checkedAt: now() })
  // The clock may have been ahead then.
  const sinceMs = Math.abs(now() - round.checkedAt)
  if (sinceMs < idleMs) return
  const isCounted = Math.abs(now() - round.countedAt) < countMs
  const { bytes, countedAt } = isCounted ? round : await countBytes(deps, throwIfOver)
  const bytesMax = Math.ceil((bytes * pauseMsMax) / roundMs)
  let bytesDue = Math.min(bytesMax, round.bytesDue + Math.ceil((bytes * sinceMs) / roundMs))
  if (bytesDue <= 0 && isCounted) return
  let last: DayKey = round
  for (let days = 0; days < daysMax && bytesDue > 0; days++) {
    throwIfOver()
    const next = await findNextDay(store, last)
    if (!next) {
      last = start
      break
    }
    bytesDue -= Math.max(1, await checkDay(deps, next))
    last = next
  }
  const { accountId, cube, day } = last
  await saveRound(store, { name: start.name, accountId, cube, day, bytes, bytesDue, countedAt, checkedAt: now() })
}

/** Adds up the sizes of all files, of one account at a time: SQLite leaves no time for requests by itself. */
async function countBytes({ store, now }: Deps, throwIfOver: () => void) {
  let bytes = 0
  for (const { id } of await store.selectFrom('accounts').select('id').execute()) {
    throwIfOver()
    await setImmediate()
    const size = sql<number>`CAST(coalesce(sum(coalesce(bytes, 0) + coalesce(rollup_bytes, 0)), 0) AS bigint)`
    const row = await store
      .selectFrom('visibleLoads')
      .select(size.as('bytes'))
      .where('accountId', '=', id)
      .executeTakeFirstOrThrow()
    bytes += row.bytes
  }
  return { bytes, countedAt: now() }
}

async function saveRound(store: Store, round: Round): Promise<void> {
  const { name: _, ...change } = round
  await store
    .insertInto('fileChecks')
    .values(round)
    .onConflict((conflict) => conflict.column('name').doUpdateSet(change))
    .execute()
}

/** Finds the day after another, in the order of the primary key. */
const findNextDay = (store: Store, { accountId, cube, day }: DayKey): Promise<DayKey | undefined> =>
  store
    .selectFrom('visibleLoads')
    .select(['accountId', 'cube', 'day'])
    .where(sql<boolean>`(account_id, cube, day) > (${accountId}, ${cube}, ${day})`)
    .orderBy('accountId')
    .orderBy('cube')
    .orderBy('day')
    .limit(1)
    .executeTakeFirst()

/** Checks the files of a day, merges its loads if that was left undone, and returns how much was to be read. */
async function checkDay(deps: Deps, key: DayKey): Promise<number> {
  const { facts, store, log } = deps
  const cube = findCube(key.cube)
  if (!cube) return 0
  const recorded = await findRecorded(store, key)
  const damages = (await facts.findDamage?.(cube, recorded)) ?? []
  await noteDamages(deps, key, damages)
  const { account, day, portions } = recorded
  // A merged file is made from files that are in order.
  if (portions.length > 1) {
    await mergeAppended(deps, cube, [{ account, day }]).catch((err: unknown) =>
      log.warn({ err, account, day }, 'loads could not be merged'),
    )
  }
  return portions.reduce((sum, { bytes, rollup }) => sum + (bytes ?? 0) + (rollup?.bytes ?? 0), 0)
}

/** Records and logs damages, except of loads that are no longer visible, whose files may have been removed meanwhile. */
async function noteDamages({ store, log, now }: Deps, key: DayKey, damages: readonly Damage[]): Promise<void> {
  if (damages.length === 0) return
  const visible = new Set((await findRecorded(store, key)).portions.map(({ load }) => load))
  for (const damage of damages.filter(({ load }) => visible.has(load))) {
    log.error(damage, 'stored file is damaged')
    await recordDamage(store, damage, now())
  }
}

async function checkDamagedAgain(deps: Deps, throwIfOver: () => void): Promise<void> {
  const { facts, store, log, now } = deps
  const due = await store
    .selectFrom('damagedFiles')
    .selectAll()
    .where((row) => row.or([row('checkedAt', '<=', now() - againMs), row('checkedAt', '>', now())]))
    .orderBy('checkedAt')
    .limit(againMax)
    .execute()
  for (const damaged of due) {
    throwIfOver()
    const { place } = damaged
    const cube = findCube(damaged.cube)
    // All loads of the day, because a merged file belongs to several.
    const damages = cube ? ((await facts.findDamage?.(cube, await findRecorded(store, damaged))) ?? []) : []
    const rows = store.updateTable('damagedFiles').set({ checkedAt: now() }).where('place', '=', place)
    if (damages.some((each) => each.place === place)) await rows.execute()
    else {
      await store.deleteFrom('damagedFiles').where('place', '=', place).execute()
      log.info({ place }, 'damaged file is in order again, or was removed')
    }
  }
}

async function findRecorded(store: Store, { accountId, cube, day }: DayKey): Promise<RecordedDay> {
  const rows = await store
    .selectFrom('visibleLoads')
    .select(['loadId as load', 'bytes', 'checksum', 'rows', 'rollupBytes', 'rollupChecksum', 'rollupRows'])
    .where('accountId', '=', accountId)
    .where('cube', '=', cube)
    .where('day', '=', day)
    .orderBy('loadId')
    .execute()
  const portions = rows.map(({ rollupBytes: bytes, rollupChecksum: checksum, rollupRows, ...portion }) => ({
    ...portion,
    account: accountId,
    day,
    rollup: bytes === null || checksum === null || rollupRows === null ? null : { bytes, checksum, rows: rollupRows },
  }))
  return { account: accountId, day, portions }
}
