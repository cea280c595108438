import { once } from 'node:events'
import { mkdtemp, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CompiledQuery } from 'kysely'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { listChores } from '../../src/chores/list-chores.ts'
import { beginLoad, failLoad } from '../../src/ingest/load-state.ts'
import { publishLoad } from '../../src/ingest/publish-load.ts'
import { sweepDrafts } from '../../src/ingest/sweep-facts.ts'
import { deleteExpiredJobs } from '../../src/reports/delete-expired-jobs.ts'
import { openFolderStorage } from '../../src/reports/storage.ts'
import { sweepReports } from '../../src/reports/sweep-reports.ts'
import { completeJob } from '../../src/reports/job-queue.ts'
import { insertJob } from '../../src/reports/submit-job.ts'
import { insertAccount } from '../../src/store/accounts.ts'
import { createStore, openStore } from '../../src/store/open-store.ts'
import { createSqliteDialect } from '../../src/store/sqlite.ts'
import { atEnd } from '../setup/at-end.ts'
import { leaseMs, takeJob } from '../setup/claims.ts'
import { scriptFacts } from '../setup/scripted-facts.ts'
import { openReports } from '../setup/reports.ts'
import { databases, makePlace, openStoreAt } from '../setup/stores.ts'

const now = Date.parse('2026-11-14T12:00:00Z')
const dayMs = 86_400_000
const cube = 'publisher_auctions_cube'
const account = 'swept'

const newJob = (id: string, createdAt = now) => ({
  id,
  accountId: account,
  cube,
  startDay: '2026-11-01',
  endDay: '2026-11-02',
  body: '{}',
  createdAt,
  deadlineAt: createdAt + 3_600_000,
})

it('reports of another installation are never swept, and those of an earlier version are claimed', async () => {
  const { folder, storage } = await openReports({
    facts: scriptFacts(),
    store: await openStoreAt(await makePlace('SQLite')),
    now: () => now,
  })
  await writeFile(join(folder, 'job_theirs_1.csv.gz'), '')
  await expect(openFolderStorage(folder, 'others')).rejects.toThrow('belong to another installation')
  expect(await storage.list()).toEqual(['job_theirs_1.csv.gz'])
  await rm(join(folder, 'owner'))
  expect(await (await openFolderStorage(folder, 'others')).list()).toEqual(['job_theirs_1.csv.gz'])
  await expect(openFolderStorage(folder, 'tests')).rejects.toThrow('ADCUBE_REPORTS')
})

describe.each(databases)('sweeps, with the control data in %s,', async (database) => {
  const store = await openStoreAt(await makePlace(database))
  await insertAccount(store, { id: account, name: 'Swept', createdAt: now })
  const { storage, folder } = await openReports({ facts: scriptFacts(), store, now: () => now })
  const write = async (file: string, isDraft = false) => {
    const draft = await storage.draft(file)
    draft.stream.end('x')
    await once(draft.stream, 'close')
    if (!isDraft) await draft.publish()
  }

  it('keep the files of a claimed job after its lease has expired, until another worker claims it', async () => {
    let time = now
    const sweep = () => sweepReports({ store, storage })
    await insertJob(store, newJob('job_slow'))
    await takeJob(store, time)
    await write('job_slow_1.csv.gz')
    await write('job_slow_1.csv.gz', true)
    time += leaseMs + 1
    await sweep()
    const made = { file: 'job_slow_1.csv.gz', rows: 1, bytes: 1, checksum: 'x' }
    const claim = { id: 'job_slow', attempt: 1 }
    expect(await storage.list()).toEqual([made.file])
    expect(await storage.listDrafts()).toEqual([made.file])
    // Keep the row of the running job, to restore it below.
    const copy = await store.selectFrom('jobs').selectAll().where('id', '=', 'job_slow').executeTakeFirstOrThrow()
    expect(await completeJob(store, { ...claim, made, now: time, expiresAt: time + dayMs })).toBe(true)
    await sweep()
    expect(await storage.list()).toEqual([made.file])
    expect(await storage.listDrafts()).toEqual([])

    await store.updateTable('jobs').set(copy).where('id', '=', 'job_slow').execute()
    expect(await takeJob(store, time)).toMatchObject({ id: 'job_slow', attempts: 2 })
    await write('job_slow_2.csv.gz', true)
    await sweep()
    expect(await storage.list()).toEqual([])
    expect(await storage.listDrafts()).toEqual(['job_slow_2.csv.gz'])
  })

  it('remove more jobs, files and drafts than one statement can', async () => {
    const count = 900
    await store.deleteFrom('jobs').execute()
    await store.transaction().execute(async (transaction) => {
      for (let index = 0; index < count; index++) await insertJob(transaction, newJob(`job_${index}`))
    })
    for (let index = 0; index < count; index++) {
      await writeFile(join(folder, `job_${index}_1.csv.gz`), 'x')
      await writeFile(join(folder, 'drafts', `job_${index}_1.csv.gz`), 'x')
    }
    await store
      .updateTable('jobs')
      .set({ state: 'FAILED', expiresAt: now + dayMs })
      .execute()
    await store
      .updateTable('jobs')
      .set({ state: 'SUCCESS', file: 'job_7_1.csv.gz' })
      .where('id', '=', 'job_7')
      .execute()
    await sweepReports({ store, storage })
    expect(await storage.list()).toEqual(['job_7_1.csv.gz'])
    expect(await storage.listDrafts()).toEqual([])
    await deleteExpiredJobs({ store, storage, now: () => now + dayMs })
    await sweepReports({ store, storage })
    expect(await storage.list()).toEqual([])
    expect(await store.selectFrom('jobs').select('id').execute()).toEqual([])

    const draftsFolder = await mkdtemp(join(tmpdir(), 'adcube-drafts-'))
    atEnd(() => rm(draftsFolder, { recursive: true }))
    const underWay = await beginLoad(store, { cube, now })
    for (let index = 0; index < count; index++) await mkdir(join(draftsFolder, String(underWay + index)))
    await sweepDrafts({ store, draftsFolder })
    expect(await readdir(draftsFolder)).toEqual([String(underWay)])
  })
})

it('no chore scans a whole table that grows', async () => {
  const place = await makePlace('SQLite')
  await (await openStore(place)).destroy()
  const queries: CompiledQuery[] = []
  const dialect = createSqliteDialect(join(place.folder, 'adcube.db'))
  const store = createStore(dialect, ({ query }) => void queries.push(query))
  atEnd(() => store.destroy())
  // Each sweep has something to do.
  await insertAccount(store, { id: account, name: 'Swept', createdAt: now })
  await insertJob(store, newJob('job_overdue', now - dayMs))
  await insertJob(store, { ...newJob('job_expired'), createdAt: 0 })
  await store.updateTable('jobs').set({ state: 'FAILED', expiresAt: 1 }).where('id', '=', 'job_expired').execute()
  for (const day of ['2026-11-01', '2025-01-01']) {
    const id = await beginLoad(store, { cube, now })
    await publishLoad(store, { id, cube, days: [{ account, day }], rows: 1, now: 1 })
  }
  const replacing = await beginLoad(store, { cube, now })
  await publishLoad(store, { id: replacing, cube, days: [{ account, day: '2026-11-01' }], rows: 1, now: 1 })
  await failLoad(store, { id: await beginLoad(store, { cube, now }), now: 1 })
  await beginLoad(store, { cube, now: 1 })
  const { storage, folder } = await openReports({ facts: scriptFacts(), store, now: () => now })
  for (const isDraft of [false, true]) {
    const draft = await storage.draft('job_stray_1.csv.gz')
    draft.stream.end('x')
    await once(draft.stream, 'close')
    if (!isDraft) await draft.publish()
  }
  const draftsFolder = join(folder, 'drafts of loads')
  await mkdir(join(draftsFolder, '1'), { recursive: true })

  queries.length = 0
  const log = pino({ level: 'silent' })
  const deps = { facts: scriptFacts(), store, storage, draftsFolder, log, now: () => now, keepMs: 1 }
  for (const chore of listChores(deps)) await chore.run(() => {})
  const asked = new Map(queries.filter(({ sql }) => !/^(?:begin|commit)/.test(sql)).map((query) => [query.sql, query]))
  expect(asked.size).toBeGreaterThan(20)
  const scans: string[] = []
  for (const { sql, parameters } of asked.values()) {
    const { rows } = await store.executeQuery<{ detail: string }>({
      ...queries[0]!,
      sql: `EXPLAIN QUERY PLAN ${sql}`,
      parameters,
    })
    // There are as many leases as chores.
    for (const { detail } of rows) if (/^SCAN (?!leases)/.test(detail)) scans.push(`${detail}: ${sql}`)
  }
  expect(scans).toEqual([])
})
