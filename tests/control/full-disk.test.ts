import { chown, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { pino } from 'pino'
import { describe, expect, inject, it, vi } from 'vitest'
import { runChores } from '../../src/chores/run-chores.ts'
import { findJob } from '../../src/reports/job.ts'
import { insertAccount, listAccounts } from '../../src/store/accounts.ts'
import { isStoreFull } from '../../src/store/errors.ts'
import type { StorePlace } from '../../src/store/open-store.ts'
import { WriteWatch } from '../../src/store/write-watch.ts'
import { atEnd } from '../setup/at-end.ts'
import { openControlService } from '../setup/control-service.ts'
import { openInstallation } from '../setup/installation.ts'
import { openReports } from '../setup/reports.ts'
import { scriptFacts, writeShortReport } from '../setup/scripted-facts.ts'
import { mountDisk } from '../setup/small-disk.ts'
import { makePlace, openStoreAt } from '../setup/stores.ts'

const query = { start: '2026-11-01', end: '2026-11-14', dimensions: ['Day'], metrics: ['Auctions'] }

type Breakable = { readonly place: StorePlace; readonly fill: () => Promise<void>; readonly free: () => Promise<void> }

/** SQLite on a disk that can be filled. */
function openFillable(): Breakable | undefined {
  const disk = mountDisk(4)
  return (
    disk && {
      place: { folder: disk.folder },
      fill: async () => disk.fill(),
      free: async () => disk.free(),
    }
  )
}

/** PostgreSQL that can be made read-only, as it is on a node that follows another. */
async function openReadable(): Promise<Breakable> {
  const place = await makePlace('PostgreSQL')
  const name = new URL(place.databaseUrl ?? '').pathname.slice(1)
  const set = async (value: string): Promise<void> => {
    const client = new Client(inject('postgresUrl') + 'postgres')
    await client.connect()
    await client.query(`ALTER DATABASE ${name} SET default_transaction_read_only = ${value}`)
    // It holds for new connections.
    await client.query(`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '${name}'`)
    await client.end()
  }
  return { place, fill: () => set('on'), free: () => set('off') }
}

const places = { 'SQLite on a full disk': openFillable(), 'PostgreSQL that is read-only': await openReadable() }

describe.each(Object.entries(places))('control data in %s', (_name, breakable) => {
  it.runIf(breakable)('refuse changes with 503, answer reads and say why, until there is space again', async () => {
    const { place, fill, free } = breakable!
    const store = await openStoreAt(place)
    const service = await openControlService(store)
    const { id, key } = await service.makeAccount(10)
    const { cookie } = await service.signIn(id, 'administrator')
    const startJob = () =>
      service.send({
        method: 'POST',
        url: '/v2/data/asynchronous?cube=auctions',
        headers: { 'x-api-key': key },
        payload: query,
      })
    const readyz = async () => (await service.send({ method: 'GET', url: '/readyz' })).body.warnings
    expect((await startJob()).status).toBe(202)

    await fill()
    // The journal of SQLite may have some room left.
    const insertMany = async (): Promise<void> => {
      for (let count = 0; count < 1_000; count++)
        await insertAccount(store, { id: `filler-${count}`, name: 'x'.repeat(4_096), createdAt: 0 })
    }
    // Connections that were closed are replaced at their next use.
    await vi.waitFor(async () => expect(isStoreFull(await insertMany().catch((error: unknown) => error))).toBe(true))
    // An hour later, every use of a session would be noted.
    service.clock.now += 3_600_000
    for (const answer of [
      await startJob(),
      await service.click(cookie, 'POST', '/keys', { name: 'x' }),
      await service.click(cookie, 'POST', '/jobs?cube=auctions', query),
    ]) {
      expect(answer).toMatchObject({ status: 503, body: { code: 'store_full' }, headers: { 'retry-after': '30' } })
    }
    for (const path of ['/v2/data', '/v2/data/metadata', '/v2/data/status'])
      expect(await service.ask(key, 'GET', path)).toMatchObject({ status: 200 })
    for (const path of ['/session', '/keys', '/audit', '/jobs'])
      expect(await service.click(cookie, 'GET', path)).toMatchObject({ status: 200 })
    expect(await readyz()).toEqual(['The control database cannot store changes: its disk may be full.'])

    const writes = new WriteWatch(Date.now)
    const failed: string[] = []
    const deps = { store, log: pino({ level: 'silent' }), now: Date.now, writes }
    const chores = runChores({ ...deps, onChoreFailed: (name) => failed.push(name) }, [
      { name: 'sweep', lease: 'sweep here', everyMs: 1, run: async () => {} },
    ])
    await vi.waitFor(() => expect(failed.length).toBeGreaterThan(1))
    await chores.stop()
    expect(failed[0]).toBe('sweep')
    expect(writes.hasFailed).toBe(true)

    await free()
    await vi.waitFor(async () => expect((await startJob()).status).toBe(202))
    expect((await service.ask(key, 'GET', '/v2/data/status')).body).toHaveLength(2)
    service.clock.now += 120_000
    // An answer is shared for a second.
    await vi.waitFor(async () => expect(await readyz()).toEqual([]), { timeout: 5_000, interval: 100 })
  })
})

const disk = mountDisk(24)

describe.runIf(disk)('a full disk', () => {
  // Also run to collect the tests that are skipped.
  const { folder = '', fill = () => {}, free = () => {} } = disk ?? {}

  it('ends a load, which removes its drafts, records why, and can be repeated', async () => {
    const installation = await openInstallation(join(folder, 'data'))
    await installation.load('acme', '2026-11-14', 'first', 1)
    const file = join((await makePlace('SQLite')).folder, 'large.csv')
    // Values that cannot be compressed.
    const rows = Array.from({ length: 40_000 }, () => `acme,2026-11-13,${crypto.randomUUID()}${crypto.randomUUID()},1`)
    await writeFile(file, `account,day,site,auctions\n${rows.join('\n')}\n`)
    const load = () => installation.loadFile(file)
    fill(21 * 2 ** 20)
    await expect(load()).rejects.toThrow(/No space left|disk is full/)
    const last = () => installation.store.selectFrom('loads').selectAll().orderBy('id', 'desc').executeTakeFirst()
    expect(await last()).toMatchObject({ state: 'failed', failureReason: expect.stringMatching(/space|full/) })
    expect(await readdir(installation.draftsFolder)).toEqual([])
    free()
    expect(await load()).toMatchObject({ rows: 40_000 })
    expect(await installation.verify()).toMatchObject({ findings: 0 })
    expect(await listAccounts(installation.store)).toHaveLength(1)
  })

  it('of PostgreSQL is recognized', async () => {
    const small = mountDisk(24)!
    // PostgreSQL runs as the user nobody if the tests run as root.
    await chown(small.folder, 65_534, 65_534)
    const client = new Client(inject('postgresUrl') + 'postgres')
    await client.connect()
    const name = `full_${process.pid}`
    await client.query(`CREATE TABLESPACE ${name} LOCATION '${small.folder}'`)
    await client.query(`CREATE DATABASE ${name} TABLESPACE ${name}`)
    atEnd(async () => {
      await client.query(`DROP DATABASE ${name} WITH (FORCE)`)
      await client.query(`DROP TABLESPACE ${name}`)
      await client.end()
    })
    const store = await openStoreAt({ folder: small.folder, databaseUrl: inject('postgresUrl') + name })
    small.fill()
    const insertMany = async (): Promise<void> => {
      for (let count = 0; count < 1_000; count++)
        await insertAccount(store, { id: `filler-${count}`, name: crypto.randomUUID().repeat(20), createdAt: 0 })
    }
    const error: unknown = await insertMany().catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: '53100' })
    expect(isStoreFull(error)).toBe(true)
    small.free()
    await insertMany()
    expect(await listAccounts(store)).toHaveLength(1_000)
  })

  it('stops a report when half of the required space is gone, and the report waits', async () => {
    const store = await openStoreAt(await makePlace('SQLite'))
    const { clock, makeAccount, send } = await openControlService(store)
    const { key } = await makeAccount()
    const headers = { 'x-api-key': key }
    const url = '/v2/data/asynchronous?cube=auctions'
    const id = String((await send({ method: 'POST', url, headers, payload: query })).body.job_id)
    const begun = Promise.withResolvers<void>()
    let attempts = 0
    const facts = scriptFacts((target, { signal }) => {
      if (++attempts > 1) return writeShortReport(target)
      begun.resolve()
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    })
    await mkdir(join(folder, 'reports'))
    const settings = { freeBytesMin: 8 * 2 ** 20 }
    const { workers, storage } = await openReports(
      { facts, store, now: () => clock.now },
      settings,
      join(folder, 'reports'),
    )
    workers.start()
    await begun.promise
    const freeBytes = await storage.freeBytes()
    // More than half of the minimum is enough to go on.
    fill(freeBytes - 6 * 2 ** 20)
    expect(await findJob(store, id)).toMatchObject({ attempts: 1, excused: 0 })
    fill(freeBytes - 3 * 2 ** 20)
    await vi.waitFor(async () => expect(await findJob(store, id)).toMatchObject({ attempts: 1, excused: 1 }), {
      timeout: 20_000,
    })
    expect(await storage.listDrafts()).toEqual([])
    free()
    clock.now += 120_000
    workers.wake()
    await vi.waitFor(async () => expect(await findJob(store, id)).toMatchObject({ state: 'SUCCESS' }))
  })
})
