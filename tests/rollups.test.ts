import { existsSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { auctions } from '../src/catalog/auctions.ts'
import { listColumns } from '../src/facts/stored-columns.ts'
import { findVisibleLoads } from '../src/store/loads.ts'
import { restore } from '../src/backup/restore.ts'
import { loadTestFile } from './setup/facts.ts'
import { makeFolder, openInstallation } from './setup/installation.ts'
import { openService, type Service } from './setup/service.ts'

const service = await openService()
const day = '2026-11-14'
const monday = '2026-11-09'
const noon = Date.parse('2026-11-14T12:00:00Z')
const signal = new AbortController().signal

/** Facts of a day that all have the same value. */
const rowsOf = (account: string, count: number, auctionsEach: number): string =>
  ['account,day,country,os,auctions,net_revenue']
    .concat(
      Array.from({ length: count }, (_, row) => `${account},${day},${row % 2 ? 'US' : 'DE'},os,${auctionsEach},1`),
    )
    .join('\n')

const load = ({ rollupFacts = 800, ...of }: Partial<Service>, csv: string, mode: 'append' | 'replace' = 'replace') =>
  loadTestFile({ ...service, ...of, rollupFacts }, auctions, 'facts.csv', csv, { mode, mayRepeat: true })

const ask = async (key: string, query: object) =>
  (await service.ask(key, 'auctions', { start: day, end: day, metrics: ['Auctions'], ...query })).body

it('a rollup of an appended load is added to the facts of the loads before and after it', async () => {
  const { id, key } = await service.createAccount('rolled-appended')
  let sum = 0
  for (const count of [1, 1, 1, 1, 800, 1, 1, 1, 1, 900, 1]) {
    await load({}, rowsOf(id, count, 3), 'append')
    sum += 3 * count
    expect((await ask(key, { dimensions: [] })).data).toEqual([{ Auctions: sum }])
  }
  expect((await ask(key, { dimensions: ['OS'] })).meta.read_from).toEqual(['facts', 'rollups'])
})

it('a rollup is omitted if a sum is too large', async () => {
  const { id, key } = await service.createAccount('rolled-large')
  const largest = 999_999_999_999n
  const rows = Array.from({ length: 1_200 }, () => `${id},${day},${largest}`)
  await load({}, ['account,day,net_revenue', ...rows].join('\n'))
  const { data, meta } = await ask(key, { dimensions: [], metrics: ['Net Revenue'] })
  expect(data).toEqual([{ 'Net Revenue': Number(1_200n * largest) }])
  expect(meta.read_from).toEqual(['facts'])
})

it('rollups, facts and cache give the same answers while loads replace the day', async () => {
  const { id, key } = await service.createAccount('rolled-replaced')
  const count = 800
  await load({}, rowsOf(id, count, 1))
  const over = new AbortController()
  let asked = 0
  const query = fc.record({
    dimensions: fc.constantFrom([], ['Day'], ['Country'], ['OS'], ['Day', 'OS'], ['Country', 'OS']),
    metrics: fc.constantFrom(['Auctions', 'Net Revenue'], ['Auctions', 'Net Revenue', 'Uniques']),
  })
  const watch = async (): Promise<void> => {
    let newest = 1
    while (!over.signal.aborted) {
      for (const each of fc.sample(query, 5)) {
        const { data } = await ask(key, each)
        const sum = data.reduce((total: number, row: any) => total + row.Auctions, 0)
        const facts = data.reduce((total: number, row: any) => total + row['Net Revenue'], 0)
        // All facts are there, of one load, which is not older than the one seen before.
        expect(facts).toBe(count)
        expect(sum % count).toBe(0)
        expect(sum / count).toBeGreaterThanOrEqual(newest)
        newest = sum / count
        asked++
      }
    }
  }
  const watched = Promise.all([watch(), watch()])
  // Some loads have rollups, others do not.
  for (let version = 2; version <= 9; version++) {
    await load({ rollupFacts: version % 3 === 0 ? 0 : 800 }, rowsOf(id, count, version))
    expect((await ask(key, { dimensions: ['Country'] })).data).toEqual([
      { Country: 'DE', Auctions: (version * count) / 2 },
      { Country: 'US', Auctions: (version * count) / 2 },
    ])
  }
  over.abort()
  await watched
  expect(asked).toBeGreaterThan(20)
})

it('a rollup is verified, backed up, restored and removed with its facts', async () => {
  const here = await openInstallation(await makeFolder(), { now: noon }, 1)
  const { id } = await here.load('harbor', monday, 'one', 1)
  const file = (folder: string, of = id) =>
    join(folder, `facts/auctions/${of}/account=harbor/day=${monday}/facts_0.rollup`)
  const [loaded] = await findVisibleLoads(here.store, {
    cube: auctions.name,
    account: 'harbor',
    start: monday,
  })
  expect(loaded).toMatchObject({ columns: listColumns(auctions), rollupHas: '' })
  expect(await here.verify()).toMatchObject({ findings: 0 })

  const backup = await makeFolder()
  expect(await here.backUp(backup)).toEqual({ files: 2, added: 2, removed: 0 })
  const restored = join(await makeFolder(), 'restored')
  await restore(backup, restored, { signal, onProgress: () => {} })
  expect(await readFile(file(restored))).toEqual(await readFile(file(here.folder)))
  expect(await (await openInstallation(restored)).verify()).toMatchObject({ findings: 0 })

  const whole = await readFile(file(here.folder))
  await writeFile(file(here.folder), Buffer.from(whole).fill(0, 10, 20))
  const place = expect.stringMatching(/facts_0\.rollup$/)
  expect((await here.verify()).first).toEqual([{ place, reason: expect.stringContaining('checksum') }])
  await rm(file(here.folder))
  expect((await here.verify()).first).toEqual([{ place, reason: 'is missing' }])
  await expect(here.backUp(await makeFolder())).rejects.toThrow('.rollup')
  await writeFile(file(here.folder), whole)

  const { id: next } = await here.load('harbor', monday, 'two', 2)
  here.clock.now += 3_600_000
  expect(await here.verify()).toMatchObject({ findings: 0 })
  await here.sweep()
  expect([id, next].map((each) => existsSync(file(here.folder, each)))).toEqual([false, true])
  expect(await here.backUp(backup)).toEqual({ files: 2, added: 2, removed: 2 })
})
