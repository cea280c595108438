import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { copyFile, cp, mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { Migrator } from 'kysely/migration'
import { describe, expect, it, vi } from 'vitest'
import { createKey, deleteKey, describeKey } from '../src/access/keys.ts'
import { openSession } from '../src/access/sessions.ts'
import { auctions } from '../src/catalog/auctions.ts'
import { copyFiles } from '../src/backup/copy-files.ts'
import { restore } from '../src/backup/restore.ts'
import { FactFolder } from '../src/facts/fact-folder.ts'
import { digestFile } from '../src/facts/file-digest.ts'
import { packCsv } from '../src/facts/pack-csv.ts'
import { listLoads } from '../src/ingest/list-loads.ts'
import { beginLoad } from '../src/ingest/load-state.ts'
import { factsSweep } from '../src/ingest/sweep-facts.ts'
import { claimJob, completeJob } from '../src/reports/job-queue.ts'
import { findJob } from '../src/reports/job.ts'
import { insertJob } from '../src/reports/submit-job.ts'
import { endLease, takeLease } from '../src/store/hold-lease.ts'
import { migrations } from '../src/store/migrations.ts'
import { createStore, storeFile } from '../src/store/open-store.ts'
import { findSecret } from '../src/store/secrets.ts'
import { createSqliteDialect } from '../src/store/sqlite.ts'
import { snapshotStore } from '../src/store/snapshot-store.ts'
import { makePerson } from './setup/make-person.ts'
import { makeDraft } from './setup/draft.ts'
import { filesIn, makeFolder, openInstallation, type Installation } from './setup/installation.ts'

const signal = new AbortController().signal
const [monday, tuesday] = ['2026-11-09', '2026-11-10']
const account = 'harbor'
const noon = Date.parse('2026-11-14T12:00:00Z')

const openNew = async () => openInstallation(await makeFolder(), { now: noon })

const fileOf = (load: number, day: string) => `facts/auctions/${load}/account=${account}/day=${day}/facts_0.parquet`

async function flipByte(path: string, at = 100): Promise<void> {
  await using file = await open(path, 'r+')
  const byte = Buffer.alloc(1)
  await file.read(byte, 0, 1, at)
  byte[0]! ^= 1
  await file.write(byte, 0, 1, at)
}

/** Creates a finished job with its report, as a worker does. */
async function makeReport({ store, storage, clock }: Installation, text = 'Day\r\n2026-11-09\r\n') {
  const id = await startJob(store, clock.now)
  const attempt = await claimNext(store, clock.now, 1_000)
  expect(attempt).toEqual({ id, attempt: 1 })
  const file = `${id}_1.csv.gz`
  const draft = await storage.draft(file)
  const made = await packCsv(Readable.from([Buffer.from(text)]), draft.stream, signal)
  await draft.publish()
  const expiresAt = clock.now + 1e9
  await completeJob(store, { id, attempt: 1, made: { ...made, file }, now: clock.now, expiresAt })
  return { id, file }
}

async function claimNext(store: Installation['store'], now: number, leaseMs: number) {
  const failure = { reason: '', now, expiresAt: now }
  const claimed = await claimJob(store, { now, leaseMs, passOver: [], attemptsMax: 5, failure })
  return claimed && 'job' in claimed ? { id: claimed.job.id, attempt: claimed.job.attempts } : undefined
}

async function startJob(store: Installation['store'], now: number): Promise<string> {
  const id = `job_${randomUUID().replaceAll('-', '')}`
  const days = { startDay: monday, endDay: tuesday }
  const job = {
    id,
    accountId: account,
    cube: auctions.name,
    ...days,
    body: '{}',
    createdAt: now,
    deadlineAt: now + 1e9,
  }
  await insertJob(store, job)
  return id
}

/** Runs a command in a process of its own. */
async function run(...args: readonly string[]) {
  const { stdout } = await promisify(execFile)(process.execPath, ['src/cli/main.ts', ...args])
  return stdout
}

/** Reads the content, times and modes of all files and folders. */
async function stateOf(folder: string) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const states = entries.map(async (entry) => {
    const path = join(entry.parentPath, entry.name)
    const { mode, mtimeNs } = await stat(path, { bigint: true })
    return [path, mode, mtimeNs, entry.isFile() ? await digestFile(path) : undefined] as const
  })
  return Promise.all(states)
}

async function restoreInto(backup: string) {
  const folder = join(await makeFolder(), 'restored')
  await restore(backup, folder, { signal, onProgress: () => {} })
  return openInstallation(folder, { now: noon })
}

const allRight = { findings: 0, first: [] }

describe('adcube verify', () => {
  it('reports exactly a flipped byte, a missing file, a file of another size and strays', async () => {
    const here = await openNew()
    const ids: number[] = []
    for (const site of ['a', 'b', 'c', 'd']) {
      ids.push((await here.load(account, monday, site, 1, { mode: 'append' })).id)
    }
    expect(await here.verify()).toEqual({ portions: 4, unrecorded: 0, reports: 0, ...allRight })
    const [flipped, missing, longer] = ids.map((id) => fileOf(id, monday)) as [string, string, string]
    await flipByte(join(here.folder, flipped))
    await rm(join(here.folder, missing))
    await using file = await open(join(here.folder, longer), 'a')
    await file.write('x')
    const { size } = await file.stat()
    const strays = ['facts/auctions/999', 'facts/auctions/notes', 'facts/readme.txt', fileOf(ids[3]!, tuesday)]
    await mkdir(join(here.folder, strays[0]!, 'account=x', 'day=2026-11-09'), { recursive: true })
    await writeFile(join(here.folder, strays[0]!, 'account=x', 'day=2026-11-09', 'facts_0.parquet'), '')
    await writeFile(join(here.folder, strays[1]!), '')
    await writeFile(join(here.folder, strays[2]!), '')
    await mkdir(dirname(join(here.folder, strays[3]!)))
    await writeFile(join(here.folder, strays[3]!), '')
    const stray = 'is a stray: it belongs to no load'
    const { findings, first } = await here.verify()
    expect(findings).toBe(7)
    expect(new Set(first)).toEqual(
      new Set([
        { place: flipped, reason: 'was changed: its checksum differs' },
        { place: missing, reason: 'is missing' },
        { place: longer, reason: `has ${size} bytes instead of ${size - 1}` },
        ...strays.map((place) => ({ place, reason: stray })),
      ]),
    )
  })

  it('does not report files that are being loaded, wait for the sweep, or are swept during the check', async () => {
    const here = await openNew()
    const { id: replaced } = await here.load(account, monday, 'old', 1)
    await here.load(account, monday, 'new', 2)
    // One load has files but is not visible yet; of another load, only the files are left.
    for (const state of ['loading', 'failed'] as const) {
      const id = await beginLoad(here.store, { cube: auctions.name, now: noon })
      await here.store.updateTable('loads').set({ state }).where('id', '=', id).execute()
      await mkdir(dirname(join(here.folder, fileOf(id, monday))), { recursive: true })
      await writeFile(join(here.folder, fileOf(id, monday)), '')
    }
    expect(existsSync(join(here.folder, fileOf(replaced, monday)))).toBe(true)
    expect(await here.verify()).toMatchObject(allRight)

    const over = new AbortController()
    const load = async (): Promise<void> => {
      for (let round = 0; round < 20; round++) {
        await here.load(account, monday, 'many', round, round % 10 === 0 ? {} : { mode: 'append' })
      }
      over.abort()
    }
    const sweep = async (): Promise<void> => {
      while (!over.signal.aborted) {
        // Remove everything that was replaced at once.
        await here.store.updateTable('retiredLoads').set({ retiredAt: 0 }).execute()
        await here.sweep()
      }
    }
    const working = [load(), sweep()]
    while (!over.signal.aborted) expect(await here.verify()).toMatchObject(allRight)
    await Promise.all(working)
  })

  it('checks merged files, and reports those whose loads are gone', async () => {
    const here = await openNew()
    for (let count = 0; count < 8; count++) await here.load(account, monday, `s${count}`, 1, { mode: 'append' })
    expect(await here.verify()).toMatchObject(allRight)
    const folder = join(here.folder, 'facts/merged/auctions', `account=${account}`)
    const [name = ''] = await readdir(join(folder, `day=${monday}`))
    await flipByte(join(folder, `day=${monday}`, name))
    await mkdir(join(folder, `day=${tuesday}`))
    await writeFile(join(folder, `day=${tuesday}`, name), '')
    const { first } = await here.verify()
    const place = (day: string) => `facts/merged/auctions/account=${account}/day=${day}/${name}`
    expect(new Set(first)).toEqual(
      new Set([
        { place: place(monday), reason: expect.stringContaining('checksum differs; its loads hold the right facts') },
        { place: place(tuesday), reason: expect.stringContaining('stray') },
      ]),
    )
    // One with other facts than its loads, although its checksum is right.
    await rm(join(folder, `day=${monday}`, name))
    const facts = fileOf(1, monday)
    const { checksum } = await digestFile(join(here.folder, facts))
    const wrong = name.replace(/[\da-f]{64}(?=\.parquet)/, checksum)
    await copyFile(join(here.folder, facts), join(folder, `day=${monday}`, wrong))
    expect((await here.verify()).first).toContainEqual({
      place: place(monday).replace(name, wrong),
      reason: 'has other facts than its loads; its loads hold the right facts, so delete it',
    })
    await rm(join(folder, `day=${monday}`, wrong))
    // Without the merged file, the day is read from its loads.
    await rm(join(folder, `day=${tuesday}`, name))
    expect(Object.keys(await here.sums(account))).toHaveLength(8)
    expect(await here.verify()).toMatchObject(allRight)
  })

  it('unpacks reports, and reports those that are damaged, missing or strays', async () => {
    const here = await openNew()
    await here.load(account, monday, 's', 1)
    const long = 'Day\r\n' + '2026-11-09\r\n'.repeat(1_000)
    const reports = [await makeReport(here), await makeReport(here, long), await makeReport(here)]
    expect(await here.verify()).toEqual({ portions: 1, unrecorded: 0, reports: 3, ...allRight })
    // A report left by an attempt of a running job is removed with the job.
    const left = `${await startJob(here.store, noon)}_1.csv.gz`
    for (const name of [left, 'job_unknown_1.csv.gz']) await writeFile(join(here.reportsFolder, name), '')
    await rm(join(here.reportsFolder, reports[0]!.file))
    await flipByte(join(here.reportsFolder, reports[1]!.file), 40)
    const { first } = await here.verify()
    expect(new Map(first.map(({ place, reason }) => [place, reason]))).toEqual(
      new Map([
        [`reports/${reports[0]!.file}`, 'is missing'],
        [`reports/${reports[1]!.file}`, expect.stringMatching(/cannot be read|has \d+ bytes|checksum differs/)],
        ['reports/job_unknown_1.csv.gz', 'is a stray file: it belongs to no job'],
      ]),
    )
  })

  it('counts facts without a checksum', async () => {
    const here = await openNew()
    const { id } = await here.load(account, monday, 's', 1)
    const none = { bytes: null, checksum: null, rows: null }
    await here.store.updateTable('visibleLoads').set(none).execute()
    await flipByte(join(here.folder, fileOf(id, monday)))
    expect(await here.verify()).toMatchObject({ portions: 1, unrecorded: 1, ...allRight })
    await rm(join(here.folder, fileOf(id, monday)))
    expect(await here.verify()).toMatchObject({ first: [{ reason: 'is missing' }] })
  })
})

describe('adcube backup', () => {
  it('links or copies only new files, removes deleted ones, and is complete each time', async () => {
    const here = await openNew()
    const backup = await makeFolder()
    const { id } = await here.load(account, monday, 'one', 1)
    const { file } = await makeReport(here)
    expect(await here.backUp(backup)).toEqual({ files: 2, added: 2, removed: 0 })
    const all = (load: number, others: string[] = []) =>
      ['adcube.db', 'facts/owner', fileOf(load, monday), ...others, `reports/${file}`].toSorted()
    expect(await filesIn(backup)).toEqual(all(id))
    const inode = async (folder: string, path: string) => (await stat(join(folder, path))).ino
    expect(await inode(backup, fileOf(id, monday))).toBe(await inode(here.folder, fileOf(id, monday)))
    for (const path of ['', 'adcube.db', 'facts', 'facts/auctions', 'reports']) {
      expect((await stat(join(backup, path))).mode & 0o077, path).toBe(0)
    }

    const before = Date.now()
    expect(await here.backUp(backup)).toEqual({ files: 2, added: 0, removed: 0 })
    const [recorded] = await here.store.selectFrom('backups').selectAll().execute()
    expect(recorded).toMatchObject({ folder: backup })
    expect(recorded!.finishedAt).toBeGreaterThanOrEqual(before)
    const { id: next } = await here.load(account, monday, 'two', 2)
    const { id: other } = await here.load(account, tuesday, 'three', 3)
    expect(await here.backUp(backup)).toEqual({ files: 3, added: 2, removed: 1 })
    expect(await filesIn(backup)).toEqual(all(next, [fileOf(other, tuesday)]))

    const restored = await restoreInto(backup)
    expect(await restored.verify()).toMatchObject({ portions: 2, reports: 1, ...allRight })
    expect(await restored.sums(account)).toEqual({ two: 2, three: 3 })
    // Copy instead of linking, so that damage to one file does not affect the other.
    expect(await inode(restored.folder, fileOf(next, monday))).not.toBe(await inode(backup, fileOf(next, monday)))
    // The backup can be verified in place.
    expect(await (await openInstallation(backup)).verify()).toMatchObject({ portions: 2, reports: 1, ...allRight })
  })

  it('includes merged files, and never confuses two loads with the same number', async () => {
    const here = await openNew()
    const backup = await makeFolder()
    for (let count = 0; count < 9; count++) await here.load(account, monday, `s${count}`, count, { mode: 'append' })
    await here.backUp(backup)
    expect((await filesIn(backup)).filter((path) => path.includes('merged'))).toHaveLength(1)
    const restored = await restoreInto(backup)
    expect(await restored.verify()).toMatchObject({ portions: 9, ...allRight })
    expect(await restored.sums(account)).toEqual(await here.sums(account))
    // The next load gets a number that the backup does not have.
    const again = await restored.load(account, monday, 'again', 100, { mode: 'append' })
    const lost = await here.load(account, monday, 'lost', 200, { mode: 'append' })
    expect(again.id).toBe(lost.id)
    expect(await restored.sums(account)).toMatchObject({ again: 100, s8: 8 })
    expect(await restored.backUp(backup)).toMatchObject({ added: 1 })
    expect(await restored.verify()).toMatchObject(allRight)
    // A load in the backup is never replaced by another one with the same number.
    await expect(here.backUp(backup)).rejects.toThrow('other content under the same name')
    expect(await (await restoreInto(backup)).sums(account)).toMatchObject({ again: 100 })
  })

  it('includes no merged file with a load that is newer than its control data', async () => {
    const here = await openNew()
    const [early, target] = [await makeFolder(), await makeFolder()]
    for (let count = 1; count <= 16; count++) {
      await here.load(account, monday, `s${count}`, 1, { mode: 'append' })
      if (count === 9) await snapshotStore(here.folder, early)
    }
    const { store } = await openInstallation(early)
    await copyFiles(
      here,
      { folder: target, reportsFolder: join(target, 'reports') },
      {
        store,
        before: undefined,
        mayLink: true,
        draftsFolder: target,
        signal,
        onFile: () => {},
      },
    )
    const [merged, ...others] = (await filesIn(target)).filter((path) => path.includes('merged'))
    expect(others).toEqual([])
    expect(merged).toMatch(/\/1-8-[\da-f]{64}-[\da-f]{64}\.parquet$/)
  })

  it('leaves no merged file that could answer for other loads with the same numbers', async () => {
    const here = await openNew()
    const restored = await makeFolder()
    const merged = 'facts/merged/auctions/account=harbor/day=2026-11-09'
    for (let hour = 0; hour < 8; hour++) {
      await here.load(account, monday, `lost${hour}`, 1_000, { mode: 'append' })
      if (hour === 3) await snapshotStore(here.folder, restored)
    }
    const [name = ''] = await readdir(join(here.folder, merged))
    // Earlier control data with newer files, as when PostgreSQL is restored: the strays have to be deleted.
    await cp(join(here.folder, 'facts'), join(restored, 'facts'), { recursive: true })
    const there = await openInstallation(restored, { now: noon })
    const strays = (await there.verify()).first.map(({ place }) => place)
    expect(strays.toSorted()).toEqual([5, 6, 7, 8].map((load) => `facts/auctions/${load}`).concat(`${merged}/${name}`))
    for (const place of strays) await rm(join(restored, place), { recursive: true })
    for (let hour = 4; hour < 8; hour++) await there.load(account, monday, `new${hour}`, 1, { mode: 'append' })
    const sums = { lost0: 1_000, lost1: 1_000, lost2: 1_000, lost3: 1_000, new4: 1, new5: 1, new6: 1, new7: 1 }
    expect(await there.sums(account)).toEqual(sums)
    expect(await there.verify()).toMatchObject({ portions: 8, ...allRight })
    // One that is put back is not used, and a load removes what stands under its number.
    await cp(join(here.folder, merged), join(restored, merged), { recursive: true })
    expect(await there.sums(account)).toEqual(sums)
    const stray = { place: `${merged}/${name}`, reason: expect.stringContaining('stray') }
    expect((await there.verify()).first).toEqual([stray])
    await there.facts.removeLoads(auctions, [8])
    const draft = await makeDraft(auctions, 8, [{ account, day: monday }])
    await there.facts.addLoad(draft, { signal, onProgress: () => {} })
    expect(await readdir(join(restored, merged)).catch(() => [])).toEqual([])
  })

  it('keeps the earlier backup if a new one cannot be completed', async () => {
    const here = await openNew()
    const backup = await makeFolder()
    await here.load(account, monday, 'good', 1)
    await here.backUp(backup)
    const { id } = await here.load(account, tuesday, 'bad', 1)
    await rm(join(here.folder, fileOf(id, tuesday)))
    await expect(here.backUp(backup)).rejects.toThrow(`1, the first is ${join(here.folder, fileOf(id, tuesday))}`)
    expect(await (await restoreInto(backup)).sums(account)).toEqual({ good: 1 })
  })

  it('completes the backup of a killed process, and replaces its incomplete files', async () => {
    const here = await openNew()
    const backup = await makeFolder()
    await here.load(account, monday, 'first', 1)
    await here.backUp(backup)
    const { id } = await here.load(account, tuesday, 'second', 2)
    // The remains of an interrupted backup: a draft of the control data, and files without a record.
    await mkdir(join(backup, 'next'))
    await snapshotStore(here.folder, join(backup, 'next'))
    const { size } = await stat(join(here.folder, fileOf(id, tuesday)))
    await mkdir(dirname(join(backup, fileOf(id, tuesday))), { recursive: true })
    await writeFile(join(backup, fileOf(id, tuesday)), Buffer.alloc(size))
    expect(await (await restoreInto(backup)).sums(account)).toEqual({ first: 1 })
    expect(await here.backUp(backup)).toEqual({ files: 2, added: 1, removed: 0 })
    const restored = await restoreInto(backup)
    expect(await restored.verify()).toMatchObject(allRight)
    expect(await restored.sums(account)).toEqual({ first: 1, second: 2 })
  })

  it('waits for a running sweep, and blocks others until all files are linked', async () => {
    const here = await openNew()
    const backup = await makeFolder()
    await here.load(account, monday, 's', 1)
    const lease = { name: factsSweep, holder: 'sweeper' }
    expect(await takeLease(here.store, { ...lease, now: Date.now(), ms: 60_000 })).toBe(true)
    const waits = vi.fn<() => void>()
    const meanwhile: Promise<boolean>[] = []
    const done = here.backUp(backup, {
      onWait: waits,
      onProgress: () => void meanwhile.push(takeLease(here.store, { ...lease, now: Date.now(), ms: 1 })),
    })
    await vi.waitFor(() => expect(waits).toHaveBeenCalledTimes(1))
    expect(await readdir(backup)).toEqual([])
    await endLease(here.store, lease)
    await done
    expect(await Promise.all(meanwhile)).toEqual([false])
    expect(await takeLease(here.store, { ...lease, now: Date.now(), ms: 1 })).toBe(true)
  })

  it('leaves out a report that is removed while it runs', async () => {
    const here = await openNew()
    const backup = await makeFolder()
    await here.load(account, monday, 's', 1)
    const { id, file } = await makeReport(here)
    await rm(join(here.reportsFolder, file))
    await here.backUp(backup)
    const restored = await restoreInto(backup)
    expect(await restored.verify()).toMatchObject(allRight)
    expect(await findJob(restored.store, id)).toBeUndefined()
  })

  it('refuses a folder with other files, or with the backup of another installation', async () => {
    const here = await openNew()
    const there = await openNew()
    await here.load(account, monday, 's', 1)
    const backup = await makeFolder()
    await there.backUp(backup)
    await expect(here.backUp(backup)).rejects.toThrow('a backup of another installation')
    const other = await makeFolder()
    await writeFile(join(other, 'letter.txt'), '')
    await expect(here.backUp(other)).rejects.toThrow('not part of a backup')
    for (const within of [here.folder, join(here.folder, 'backup')]) {
      await expect(here.backUp(within)).rejects.toThrow('cannot be inside the data folder')
    }
  })
})

describe('control data', () => {
  it('of a backup are read from a copy, so that it can be read-only', async () => {
    const here = await openNew()
    await here.load(account, monday, 's', 1)
    await makeReport(here)
    const backup = await makeFolder()
    await here.backUp(backup)
    const change = (mode: string) => promisify(execFile)('chmod', ['-R', mode, backup])
    await change('a-w')
    const before = await stateOf(backup)
    expect(await run('verify', '--data-dir', backup, '--json')).toContain('"findings":[]')
    expect(await stateOf(backup)).toEqual(before)
    await change('u+w')
  })

  it('of an earlier version are backed up and verified without being migrated', async () => {
    const here = await makeFolder()
    const dialect = createSqliteDialect(storeFile(here))
    const store = createStore(dialect)
    const migrator = new Migrator({ db: store, provider: { getMigrations: async () => ({ ...migrations }) } })
    const { error } = await migrator.migrateTo('017-columns-of-loads')
    expect(error).toBeUndefined()
    const steps = () =>
      store
        .selectFrom('kyselyMigration' as 'accounts')
        .select('name')
        .orderBy('name')
        .execute()
    const before = await steps()
    await new FactFolder(here).claim((await findSecret(store, 'engine-owner')).toString('hex'))
    const backup = await makeFolder()
    await run('backup', backup, '--data-dir', here)
    await run('verify', '--data-dir', here)
    expect(await steps()).toEqual(before)
    // The backup of that version itself.
    await rm(storeFile(backup))
    await snapshotStore(here, backup)
    const state = await stateOf(backup)
    await run('verify', '--data-dir', backup)
    expect(await stateOf(backup)).toEqual(state)
    await run('restore', backup, '--data-dir', join(await makeFolder(), 'restored'))
    expect(await stateOf(backup)).toEqual(state)
    await store.destroy()
  })
})

describe('adcube restore', () => {
  it('ends all sessions, and lists the rights that were taken away since', async () => {
    const here = await openNew()
    const { store } = here
    await here.load(account, monday, 's', 1)
    const create = { accountId: account, actor: 'operator', now: noon }
    const [kept, deleted] = [
      await createKey(store, { ...create, name: 'kept' }),
      await createKey(store, { ...create, name: 'deleted' }),
    ]
    if ('refusal' in kept || 'refusal' in deleted) throw new Error('no key')
    const { id: person } = await makePerson(store, { accountId: account, role: 'member', now: noon })
    await openSession(store, person, noon)
    const backup = await makeFolder()
    await here.backUp(backup)
    await deleteKey(store, { id: deleted.id, actor: 'ann@example.com', now: noon + 1 })
    const folder = join(await makeFolder(), 'restored')
    const { revoked } = await restore(backup, folder, { newer: here.folder, signal, onProgress: () => {} })
    const subject = describeKey(deleted)
    expect(revoked).toEqual([
      { at: noon + 1, accountId: account, action: 'key.deleted', subject, actor: 'ann@example.com' },
    ])
    const restored = await openInstallation(folder)
    expect(await restored.store.selectFrom('sessions').selectAll().execute()).toEqual([])
    const other = await openNew()
    const options = { newer: other.folder, signal, onProgress: () => {} }
    await expect(restore(backup, `${folder}-2`, options)).rejects.toThrow('not of the same installation')
  })

  it('ends unfinished loads and restarts unfinished jobs', async () => {
    const here = await openNew()
    await here.load(account, monday, 's', 1)
    const load = await beginLoad(here.store, { cube: auctions.name, now: noon })
    const job = await startJob(here.store, noon)
    await claimNext(here.store, noon, 20_000)
    const backup = await makeFolder()
    await here.backUp(backup)
    const restored = await restoreInto(backup)
    restored.clock.now = noon + 61_000
    await restored.sweep()
    expect(await listLoads(restored.store, { limit: 1 })).toMatchObject([{ id: load, state: 'failed' }])
    expect(await claimNext(restored.store, restored.clock.now, 1)).toEqual({ id: job, attempt: 2 })
  })

  it('refuses a folder that is in use, and resumes after an interruption', async () => {
    const here = await openNew()
    await here.load(account, monday, 's', 1)
    const backup = await makeFolder()
    const options = { signal, onProgress: () => {} }
    const folder = await makeFolder()
    await expect(restore(backup, folder, options)).rejects.toThrow('no complete backup')
    await here.backUp(backup)
    await expect(restore(backup, here.folder, options)).rejects.toThrow('is not empty')
    // As if killed between the facts and the control data.
    await mkdir(join(folder, 'restoring'))
    await mkdir(join(folder, 'facts', 'auctions', '7'), { recursive: true })
    await restore(backup, folder, options)
    const restored = await openInstallation(folder)
    expect(await restored.verify()).toMatchObject(allRight)
    expect(await restored.sums(account)).toEqual({ s: 1 })
  })

  it('refuses a backup with a missing file, and creates nothing', async () => {
    const here = await openNew()
    const { id } = await here.load(account, monday, 's', 1)
    const backup = await makeFolder()
    await here.backUp(backup)
    await rename(join(backup, fileOf(id, monday)), join(backup, 'elsewhere'))
    const folder = await makeFolder()
    await expect(restore(backup, folder, { signal, onProgress: () => {} })).rejects.toThrow(fileOf(id, monday))
    expect(await readdir(folder)).toEqual([])
  })
})
