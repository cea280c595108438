import { existsSync } from 'node:fs'
import { copyFile, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, it, vi } from 'vitest'
import { auctions } from '../src/catalog/auctions.ts'
import { checkFiles } from '../src/chores/check-files.ts'
import { openData } from '../src/cli/open-data.ts'
import { readSettings } from '../src/cli/settings.ts'
import { readFigures } from '../src/metrics/read-figures.ts'
import { findVisibleLoads } from '../src/store/loads.ts'
import type { Store } from '../src/store/open-store.ts'
import { atEnd } from './setup/at-end.ts'
import { makeQuery } from './setup/draft.ts'
import { loadTestFile } from './setup/facts.ts'
import { filesIn, makeFolder, openInstallation } from './setup/installation.ts'
import { openService } from './setup/service.ts'

const service = await openService()
const [monday, today] = ['2026-11-09', '2026-11-14']
const noon = Date.parse('2026-11-14T12:00:00Z')
const minuteMs = 60_000
const weekMs = 7 * 24 * 60 * minuteMs

/** Changes one bit in the middle of a file. */
async function flipBit(path: string): Promise<void> {
  await using file = await open(path, 'r+')
  const at = Math.floor((await file.stat()).size / 2)
  const byte = Buffer.alloc(1)
  await file.read(byte, 0, 1, at)
  byte[0]! ^= 1
  await file.write(byte, 0, 1, at)
}

const countFindings = async (store: Store): Promise<number> => (await readFigures(store, [], noon)).damagedFiles

it('a small damaged file answers nothing until it is repaired', async () => {
  const { id, key } = await service.createAccount('damaged-facts')
  const csv = `account,day,site,auctions\n${id},${today},s,800\n`
  const { id: load } = await loadTestFile(service, auctions, 'facts.csv', csv)
  const path = join(service.draftsFolder, '..', 'facts', 'auctions', String(load), `account=${id}`, `day=${today}`)
  const file = join(path, 'facts_0.parquet')
  const copy = join(await makeFolder(), 'copy')
  await copyFile(file, copy)
  await flipBit(file)
  const ask = () => service.ask(key, 'auctions', { start: today, end: today, dimensions: [], metrics: ['Auctions'] })
  const { status, headers, body } = await ask()
  expect([status, body.code, headers['retry-after']]).toEqual([503, 'facts_damaged', '60'])
  await copyFile(copy, file)
  expect((await ask()).body.data).toEqual([{ Auctions: 800 }])
})

it('a damaged rollup is not used; it is logged and counted until it is repaired', async () => {
  const here = await openInstallation(await makeFolder(), { now: noon }, 1)
  const { id: load } = await here.load('harbor', monday, 's', 800)
  const rollup = join(here.folder, `facts/auctions/${load}/account=harbor/day=${monday}/facts_0.rollup`)
  const copy = join(here.folder, 'copy')
  await copyFile(rollup, copy)
  await flipBit(rollup)
  // As a server opens it.
  const lines: string[] = []
  const stack = new AsyncDisposableStack()
  atEnd(() => stack.disposeAsync())
  const settings = readSettings({ ADCUBE_DATA_DIR: here.folder, ADCUBE_QUERY_MEMORY_MB: '256' })
  const { facts, store } = await openData(settings, pino({}, { write: (line) => void lines.push(line) }), stack)
  await facts.start()
  const query = makeQuery(auctions, { start: monday, end: monday, metrics: ['Auctions'] })
  const visible = await findVisibleLoads(store, { cube: auctions.name, account: 'harbor', start: monday })
  const ask = async () => {
    const { json, readFrom } = await facts.readRows(
      query,
      { account: 'harbor', visible },
      { id: 'q', signal: AbortSignal.timeout(60_000) },
    )
    return [json.toString(), readFrom]
  }
  const right = '{"Auctions":800}'
  expect(await ask()).toEqual([right, ['facts']])
  expect(await ask()).toEqual([right, ['facts']])
  await vi.waitFor(async () => expect(await countFindings(store)).toBe(1))
  expect(lines.filter((line) => line.includes('stored file is damaged') && line.includes('.rollup'))).toHaveLength(1)
  await checkFiles(here)
  expect(await countFindings(store)).toBe(1)

  await copyFile(copy, rollup)
  expect(await ask()).toEqual([right, ['rollups']])
  here.clock.now = Date.now() + 15 * minuteMs
  await checkFiles(here)
  expect(await countFindings(store)).toBe(0)
})

it('all files are read within a week, a few at a time, and damage is found and forgotten', async () => {
  const here = await openInstallation(await makeFolder(), { now: noon })
  const days = ['2026-11-05', '2026-11-06', '2026-11-07', '2026-11-08']
  for (const day of days) await here.load('harbor', day, 's', 1)
  for (let hour = 0; hour < 8; hour++) await here.load('harbor', monday, `s${hour}`, 1, { mode: 'append' })
  const merged = `facts/merged/auctions/account=harbor/day=${monday}`
  const [name = ''] = await readdir(join(here.folder, merged))
  const damaged = `facts/auctions/2/account=harbor/day=${days[1]}/facts_0.parquet`
  await copyFile(join(here.folder, damaged), join(here.folder, 'copy'))
  for (const path of [damaged, join(merged, name)]) await flipBit(join(here.folder, path))

  const read: string[] = []
  const lines: string[] = []
  const deps = {
    ...here,
    log: pino({}, { write: (line) => void lines.push(line) }),
    facts: {
      ...here.facts,
      findDamage: (...[cube, day]: Parameters<NonNullable<typeof here.facts.findDamage>>) => {
        read.push(day.day)
        return here.facts.findDamage!(cube, day)
      },
    },
  }
  const readUntil = async (isDone: () => boolean): Promise<void> => {
    const until = here.clock.now + weekMs
    for (let before = read.length; !isDone(); before = read.length) {
      here.clock.now += 10 * minuteMs
      expect(here.clock.now).toBeLessThan(until)
      await checkFiles(deps)
      // Another node comes right after this one, and does nothing.
      if (read.length > before) await checkFiles(deps)
      expect(read.length - before).toBeLessThanOrEqual(4)
    }
  }
  await readUntil(() => new Set(read).size === 5)
  expect(new Set(read)).toEqual(new Set([...days, monday]))
  expect(await countFindings(here.store)).toBe(2)
  const found = lines.filter((line) => line.includes('stored file is damaged'))
  expect(found.some((line) => line.includes(damaged))).toBe(true)
  expect(found.some((line) => line.includes(name))).toBe(true)
  // A merged file is made again.
  expect(await here.verify()).toMatchObject({ first: [{ place: damaged }] })
  expect((await filesIn(join(here.folder, merged))).length).toBe(1)

  await copyFile(join(here.folder, 'copy'), join(here.folder, damaged))
  // As after an upgrade, if the files of an earlier version are not used any more.
  await rm(join(here.folder, merged), { recursive: true })
  await readUntil(() => existsSync(join(here.folder, merged)))
  expect(await countFindings(here.store)).toBe(0)
  expect((await filesIn(join(here.folder, merged))).length).toBe(1)
  expect(await here.verify()).toMatchObject({ findings: 0 })
})
