import { sql } from 'kysely'
import { hasManyDaysBefore, oldestDayDue } from '../ingest/retire-old.ts'
import type { Day } from '../query/day.ts'
import { readClockCheck } from '../store/deletion-hold.ts'
import type { Store } from '../store/open-store.ts'

const hourMs = 3_600_000
const loadsMax = 1_000

export type Figures = Awaited<ReturnType<typeof readFigures>>

/**
 * Reads figures of the whole service: open jobs and those that ended within an hour, the loads of a day (of the newest
 * thousand), the newest days, and why nothing is deleted by age. Each statement reads a bounded part of an index.
 */
export async function readFigures(store: Store, cubes: readonly string[], now: number) {
  const { queued, running, ...oldest } = await readOpenJobs(store, now)
  const ended = await countEndedJobs(store, now - hourMs)
  const loads = await countLoads(store, now - 24 * hourMs)
  const newestDays = []
  for (const cube of cubes) newestDays.push({ cube, day: await findNewestDay(store, cube) })
  const { heldSince } = await readClockCheck(store)
  const held = { clock: heldSince !== null, days: await hasManyDaysBefore(store, oldestDayDue(now)) }
  const { damagedFiles } = await store
    .selectFrom('damagedFiles')
    .select(({ fn }) => fn.countAll<number>().as('damagedFiles'))
    .executeTakeFirstOrThrow()
  const lastBackupAt = await findLastBackup(store)
  return { jobs: { queued, running, ...ended }, ...oldest, loads, newestDays, held, damagedFiles, lastBackupAt }
}

async function findLastBackup(store: Store): Promise<number | null> {
  const { at } = await store
    .selectFrom('backups')
    .select(({ fn }) => fn.max<number | null>('finishedAt').as('at'))
    .executeTakeFirstOrThrow()
  return at
}

/** There are few open jobs, because each ends at its deadline. */
async function readOpenJobs(store: Store, now: number) {
  const isRunning = sql<boolean>`coalesce(lease_until, 0) > ${now}`
  const row = await store
    .selectFrom('jobs')
    .select(({ fn }) => [
      fn.countAll<number>().as('open'),
      sql<number>`count(CASE WHEN ${isRunning} THEN 1 END)`.as('running'),
      sql<number | null>`min(CASE WHEN NOT ${isRunning} THEN created_at END)`.as('oldestQueuedAt'),
      sql<number | null>`min(CASE WHEN ${isRunning} THEN started_at END)`.as('oldestRunningAt'),
    ])
    .where('state', '=', 'PROCESSING')
    .executeTakeFirstOrThrow()
  const { open, ...others } = row
  return { queued: open - others.running, ...others }
}

async function countEndedJobs(store: Store, since: number) {
  const isCancelled = sql<number>`CASE WHEN failure_reason = 'cancelled' THEN 1 ELSE 0 END`
  const rows = await store
    .selectFrom('jobs')
    .select(({ fn }) => ['state', isCancelled.as('cancelled'), fn.countAll<number>().as('jobs')])
    .where('state', 'in', ['SUCCESS', 'FAILED'])
    .where('finishedAt', '>', since)
    .groupBy(['state', isCancelled])
    .execute()
  const count = (state: string, cancelled: number): number =>
    rows.find((row) => row.state === state && row.cancelled === cancelled)?.jobs ?? 0
  return { succeeded: count('SUCCESS', 0), failed: count('FAILED', 0), cancelled: count('FAILED', 1) }
}

const countLoads = (store: Store, since: number) =>
  store
    .selectFrom((from) =>
      from
        .selectFrom('loads')
        .select(['cube', 'state', 'rows', 'startedAt'])
        .orderBy('id', 'desc')
        .limit(loadsMax)
        .as('newest'),
    )
    .select(({ fn }) => [
      'cube',
      'state',
      fn.countAll<number>().as('loads'),
      sql<number>`CAST(coalesce(sum("rows"), 0) AS bigint)`.as('rows'),
    ])
    .where('startedAt', '>', since)
    .groupBy(['cube', 'state'])
    .execute()

async function findNewestDay(store: Store, cube: string): Promise<Day | null> {
  const { day } = await store
    .selectFrom('visibleLoads')
    .select(({ fn }) => fn.max<Day | null>('day').as('day'))
    .where('cube', '=', cube)
    .executeTakeFirstOrThrow()
  return day
}
