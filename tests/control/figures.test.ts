import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { sql, type CompiledQuery } from 'kysely'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { describe, expect, it, vi } from 'vitest'
import { auctions as auctionsCube } from '../../src/catalog/auctions.ts'
import { platformPerformance } from '../../src/catalog/platform-performance.ts'
import { listStale } from '../../src/store/list-stale.ts'
import { beginLoad, failLoad } from '../../src/ingest/load-state.ts'
import { publishLoad } from '../../src/ingest/publish-load.ts'
import { buildMetricsApp } from '../../src/metrics/metrics-app.ts'
import { watchState } from '../../src/metrics/watch-state.ts'
import { dayOf } from '../../src/query/day.ts'
import { insertAccount, updateAccount } from '../../src/store/accounts.ts'
import { readFigures } from '../../src/metrics/read-figures.ts'
import { createStore, type Store } from '../../src/store/open-store.ts'
import { createSqliteDialect } from '../../src/store/sqlite.ts'
import { WriteWatch } from '../../src/store/write-watch.ts'
import { atEnd } from '../setup/at-end.ts'
import { noFacts } from '../setup/control-service.ts'
import { databases, makePlace, openStoreAt } from '../setup/stores.ts'

const now = Date.parse('2026-11-14T12:00:00Z')
const hourMs = 3_600_000
const auctions = 'publisher_auctions_cube'
const platform = 'publisher_platform_performance_cube'
let made = 0

async function addJob(store: Store, job: object): Promise<void> {
  const times = { createdAt: now, deadlineAt: now + hourMs, availableAt: now }
  const plain = { accountId: 'a', cube: auctions, body: '{}', startDay: '', endDay: '', attempts: 0, progress: 0 }
  await store
    .insertInto('jobs')
    .values({ id: `job_${made++}`, state: 'PROCESSING', ...plain, ...times, ...job } as never)
    .execute()
}

async function addLoad(store: Store, cube: string, startedAt: number, day?: string): Promise<void> {
  const id = await beginLoad(store, { cube, now: startedAt })
  if (day === undefined) await failLoad(store, { id, now: startedAt })
  else await publishLoad(store, { id, cube, days: [{ account: 'a', day }], rows: 5, now: startedAt })
}

/** Starts the listener for metrics on a store. */
function openMetricsApp(store: Store) {
  const registry = new Registry()
  const writes = new WriteWatch(() => now)
  const deps = { facts: noFacts, store, writes, now: () => now, log: pino({ level: 'silent' }) }
  const refresh = watchState(registry, { ...deps, folders: { data: '/' }, freeBytesMin: 7 })
  const app = buildMetricsApp({ ...deps, workers: { isShortOfDisk: async () => false }, registry, refresh })
  atEnd(() => app.close())
  return async () => (await app.inject('/metrics')).body
}

describe.each(databases)('figures in %s', async (database) => {
  const store = await openStoreAt(await makePlace(database))
  await insertAccount(store, { id: 'a', name: 'A', createdAt: 0 })

  it('count jobs by state with the age of the oldest, loads of the last day, and the newest day of each cube', async () => {
    const claimed = { leaseUntil: now + 20_000 }
    await addJob(store, { createdAt: now - 60_000 })
    await addJob(store, { createdAt: now - 5_000 })
    // Its worker has died, so it waits again.
    await addJob(store, { createdAt: now - 90_000, leaseUntil: now - 1 })
    await addJob(store, { ...claimed, createdAt: now - 400_000, startedAt: now - 30_000 })
    await addJob(store, { state: 'SUCCESS', finishedAt: now - 1 })
    await addJob(store, { state: 'SUCCESS', finishedAt: now - 2 * hourMs })
    await addJob(store, { state: 'FAILED', finishedAt: now - 1, failureReason: 'The engine was away.' })
    await addJob(store, { state: 'FAILED', finishedAt: now - 1, failureReason: 'cancelled' })
    await addLoad(store, auctions, now - 30 * hourMs, '2026-11-12')
    await addLoad(store, auctions, now - 20 * hourMs, '2026-11-13')
    await addLoad(store, auctions, now - 2 * hourMs, '2026-11-11')
    await addLoad(store, auctions, now - hourMs)
    const figures = await readFigures(store, [auctions, platform], now)
    expect(figures).toEqual({
      jobs: { queued: 3, running: 1, succeeded: 1, failed: 1, cancelled: 1 },
      oldestQueuedAt: now - 90_000,
      oldestRunningAt: now - 30_000,
      loads: expect.arrayContaining([
        { cube: auctions, state: 'failed', loads: 1, rows: 0 },
        { cube: auctions, state: 'visible', loads: 2, rows: 10 },
      ]),
      newestDays: [
        { cube: auctions, day: '2026-11-13' },
        { cube: platform, day: null },
      ],
      held: { clock: false, days: false },
      damagedFiles: 0,
      lastBackupAt: null,
    })
    const text = await openMetricsApp(store)()
    for (const line of [
      'adcube_store_up 1',
      'adcube_engine_up 0',
      'adcube_deletions_held{reason="clock"} 0',
      'adcube_verify_findings 0',
      'adcube_jobs{state="queued"} 3',
      'adcube_oldest_job_age_seconds{state="queued"} 90',
      'adcube_oldest_job_age_seconds{state="running"} 30',
      `adcube_loads{cube="${auctions}",state="visible"} 2`,
      `adcube_loaded_rows{cube="${auctions}"} 10`,
      `adcube_newest_day_timestamp_seconds{cube="${auctions}"} ${Date.parse('2026-11-13') / 1_000}`,
    ]) {
      expect(text.split('\n')).toContain(line)
    }
    expect(text).not.toContain('adcube_last_backup_timestamp_seconds 0')
    // A cube without facts has no newest day.
    expect(text).not.toContain(`adcube_newest_day_timestamp_seconds{cube="${platform}"}`)
  })
})

describe.each(databases)('accounts in %s without new data', async (database) => {
  const store = await openStoreAt(await makePlace(database))

  it('are counted by cube, and neither disabled ones nor those that never had data or may not use the cube', async () => {
    for (const id of ['late', 'current', 'empty', 'disabled', 'limited'])
      await insertAccount(store, { id, name: id, createdAt: 0 })
    const days = { late: '2026-11-11', current: '2026-11-12', disabled: '2026-10-01', limited: '2026-10-01' }
    for (const [account, day] of Object.entries(days)) {
      const id = await beginLoad(store, { cube: auctions, now })
      await publishLoad(store, { id, cube: auctions, days: [{ account, day }], rows: 1, now })
    }
    await updateAccount(store, 'disabled', { disabledAt: now })
    await updateAccount(store, 'limited', { cubes: [platformPerformance] })
    expect(await listStale(store, auctionsCube, dayOf(now))).toEqual([{ account: 'late', lastDay: '2026-11-11' }])
    const text = await openMetricsApp(store)()
    expect(text.split('\n')).toContain(`adcube_stale_accounts{cube="${auctions}"} 1`)
    expect(text.split('\n')).toContain(`adcube_stale_accounts{cube="${platform}"} 0`)
  })

  it('the end of the last backup is shown', async () => {
    for (const [folder, seconds] of [
      ['/a', 2_000],
      ['/b', 1_000],
    ] as const)
      await store
        .insertInto('backups')
        .values({ folder, finishedAt: seconds * 1_000 })
        .execute()
    expect((await openMetricsApp(store)()).split('\n')).toContain('adcube_last_backup_timestamp_seconds 2000')
  })
})

it('figures scan no table except for the newest loads', async () => {
  const place = await makePlace('SQLite')
  await openStoreAt(place)
  const file = join(place.folder, 'adcube.db')
  const asked: CompiledQuery[] = []
  const watched = createStore(createSqliteDialect(file), ({ query }) => void asked.push(query))
  await readFigures(watched, [auctions, platform], now)
  await listStale(watched, auctionsCube, dayOf(now))
  await watched.destroy()
  const database = new DatabaseSync(file)
  const plans = asked.map(({ sql: text, parameters }) =>
    database
      .prepare(`EXPLAIN QUERY PLAN ${text}`)
      .all(...(parameters as SQLInputValue[]))
      .map(({ detail }) => String(detail)),
  )
  database.close()
  const newestDay = expect.stringMatching(/^SEARCH visible_loads .*\(cube=\?\)$/)
  expect(plans.flat().filter((step) => /^(?:SEARCH|SCAN) (?!newest)/.test(step))).toEqual([
    expect.stringMatching(/^SEARCH jobs .*\(state=\?/),
    expect.stringMatching(/^SEARCH jobs .*\(state=\? AND finished_at>\?\)$/),
    'SCAN loads',
    newestDay,
    newestDay,
    expect.stringMatching(/^SEARCH clock_checks .*rowid=/),
    expect.stringMatching(/^SEARCH visible_loads .*\(day<\?\)$/),
    // There are few, if any.
    expect.stringMatching(/^SCAN damaged_files /),
    // A row for each folder with a backup.
    'SEARCH backups',
    // A look at the last day of each account.
    'SCAN accounts',
    ...Array(2).fill(expect.stringMatching(/^SEARCH visible_loads .*COVERING .*\(account_id=\? AND cube=\?\)$/)),
  ])
  expect(asked.filter(({ sql: text }) => text.includes('"loads"')).map(({ sql: text }) => text)).toEqual([
    expect.stringMatching(/from "loads" order by "id" desc limit \?\)/),
  ])
})

describe('a scrape', async () => {
  const place = await makePlace('PostgreSQL')
  const store = await openStoreAt(place)
  const locker = await openStoreAt(place)

  it('answers within seconds while the database hangs, without its figures, and with them afterwards', async () => {
    const scrape = openMetricsApp(store)
    await locker.transaction().execute(async (transaction) => {
      await sql`LOCK TABLE jobs`.execute(transaction)
      const text = await scrape()
      expect(text).toContain('adcube_store_up 0\n')
      expect(text).not.toContain('adcube_jobs{')
      expect(text).toContain('adcube_disk_free_bytes{folder="data"}')
    })
    await vi.waitFor(async () => expect(await scrape()).toContain('adcube_store_up 1\n'), { timeout: 20_000 })
    expect(await scrape()).toContain('adcube_jobs{state="queued"} 0\n')
  })
})
