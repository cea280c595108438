import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import * as fc from 'fast-check'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { auctions } from '../../src/catalog/auctions.ts'
import type { Cube } from '../../src/catalog/cube.ts'
import { platformPerformance } from '../../src/catalog/platform-performance.ts'
import { listLoads } from '../../src/ingest/list-loads.ts'
import { loadFacts, type LoadOptions } from '../../src/ingest/load-facts.ts'
import { LoadRefused } from '../../src/ingest/load-refused.ts'
import { beginLoad, failLoad } from '../../src/ingest/load-state.ts'
import { publishLoad } from '../../src/ingest/publish-load.ts'
import { retireOldDays } from '../../src/ingest/retire-old.ts'
import { sweepFacts, listUnsweptLoads } from '../../src/ingest/sweep-facts.ts'
import { findVisibleLoads, type LoadMode } from '../../src/store/loads.ts'
import { atEnd } from '../setup/at-end.ts'
import { makeDraft, makeQuery, sumOf } from '../setup/draft.ts'
import { toCsv, toNdjson, toParquet } from '../setup/fact-files.ts'
import { loadTestFile, makeFacts } from '../setup/facts.ts'
import { answerNaively } from '../setup/naive.ts'
import { now, openService } from '../setup/service.ts'

const service = await openService()
const { facts: engine, store } = service
const folder = await mkdtemp(join(tmpdir(), 'adcube-loads-'))
atEnd(() => rm(folder, { recursive: true, force: true }))

const write = async (files: Readonly<Record<string, string | Uint8Array>>): Promise<string[]> => {
  const paths = Object.keys(files).map((name) => join(folder, name))
  await Promise.all(Object.values(files).map((content, index) => writeFile(paths[index]!, content)))
  return paths
}
const loadText = (name: string, text: string, options: LoadOptions = {}) =>
  loadTestFile(service, auctions, name, text, options)
const showRange = async (key: string) => (await service.get(key, '/v2/data?cube=auctions')).body
const visible = async (account: string, cube: Cube = auctions) => {
  const found = await findVisibleLoads(store, { cube: cube.name, account, start: '2020-01-01', end: '2030-01-01' })
  return found.map(({ day, load }) => ({ day, load }))
}

it('the sweep removes failed, replaced and too old facts, and nothing else', async () => {
  const accounts = await Promise.all(['a', 'b', 'c'].map(async (name) => (await service.createAccount(name)).id))
  const [a, b, c] = accounts as [string, string, string]
  const cube = platformPerformance
  const day = '2026-10-20'
  const oldDay = '2025-09-01'
  // Earlier than the loads of other tests, which must not be given up.
  const swept = now - 25 * 60 * 60_000
  const minutesAgo = (minutes: number): number => swept - minutes * 60_000
  const store_ = (load: number, owners: readonly string[], onDay = day) =>
    makeDraft(
      cube,
      load,
      owners.map((account) => ({ account, day: onDay })),
    ).then((draft) => engine.addLoad(draft, { signal: new AbortController().signal, onProgress: () => {} }))
  const begin = async (at: number, owners: readonly string[], onDay = day) => {
    const load = await beginLoad(store, { cube: cube.name, now: at })
    await store_(load, owners, onDay)
    return load
  }
  const publish = (id: number, owners: readonly string[], at: number, onDay = day) =>
    publishLoad(store, {
      id,
      cube: cube.name,
      days: owners.map((account) => ({ account, day: onDay })),
      rows: 1,
      now: at,
    })
  const shared = await begin(minutesAgo(90), [a, b, c])
  await publish(shared, [a, b, c], minutesAgo(90))
  const newer = await begin(minutesAgo(20), [a])
  await publish(newer, [a], minutesAgo(20))
  const newest = await begin(minutesAgo(10), [b])
  await publish(newest, [b], minutesAgo(10))
  const old = await begin(minutesAgo(90), [a], oldDay)
  await publish(old, [a], minutesAgo(90), oldDay)
  const failed = await begin(minutesAgo(90), [a])
  await failLoad(store, { id: failed, now: minutesAgo(90) })
  const silent = await begin(minutesAgo(2), [a])
  const alive = await begin(swept, [a])
  const portions = [
    ...accounts.map((account) => ({ account, day, load: shared })),
    { account: a, day, load: newer },
    { account: b, day, load: newest },
    { account: a, day: oldDay, load: old },
    ...[failed, silent, alive].map((load) => ({ account: a, day, load })),
  ]
  const stored = async () => {
    const sums = await Promise.all(portions.map((portion) => sumOf(engine, cube, portion)))
    return portions.filter((_, index) => sums[index]! > 0)
  }
  expect(await stored()).toEqual(portions)
  const deps = { facts: engine, store, log: pino({ level: 'silent' }) }
  await retireOldDays({ ...deps, now: () => swept })

  await sweepFacts({ ...deps, now: () => swept })
  expect(await stored()).toEqual([
    // Replaced a moment ago: a running query may still read it.
    { account: b, day, load: shared },
    { account: c, day, load: shared },
    { account: a, day, load: newer },
    { account: b, day, load: newest },
    // Has just become too old.
    { account: a, day: oldDay, load: old },
    { account: a, day, load: alive },
  ])
  expect(await Promise.all(accounts.map((account) => visible(account, cube)))).toEqual([
    [{ day, load: newer }],
    [{ day, load: newest }],
    [{ day, load: shared }],
  ])
  const unswept = await listUnsweptLoads(store, cube.name)
  expect(unswept.filter((load) => load === failed || load === silent)).toEqual([])

  // The facts of a loader that was given up, and stores them nevertheless, are removed.
  await store_(silent, [a])
  await failLoad(store, { id: silent, now: swept + 1_000 })
  await sweepFacts({ ...deps, now: () => swept + 16 * 60_000 })
  expect(await stored()).toEqual([
    { account: c, day, load: shared },
    { account: a, day, load: newer },
    { account: b, day, load: newest },
    // What was retired by age stays a day longer, in case the clock is wrong.
    { account: a, day: oldDay, load: old },
  ])
  await sweepFacts({ ...deps, now: () => swept + (24 * 60 + 16) * 60_000 })
  expect(await stored()).toEqual([
    { account: c, day, load: shared },
    { account: a, day, load: newer },
    { account: b, day, load: newest },
  ])
})

it('a load does not include stored facts of another load with its number, as after restoring control data', async () => {
  const account = 'restored'
  const [day, other] = ['2026-11-10', '2026-11-11'] as const
  const load = await beginLoad(store, { cube: auctions.name, now })
  const add = async (days: readonly string[], value: number): Promise<void> => {
    const portions = days.map((day) => ({ account, day }))
    const draft = await makeDraft(auctions, load, portions, { value })
    await engine.addLoad(draft, { signal: new AbortController().signal, onProgress: () => {} })
  }
  await add([day, other], 7)
  await add([day], 3)
  expect(await sumOf(engine, auctions, { account, day, load })).toBe(3)
  expect(await sumOf(engine, auctions, { account, day: other, load })).toBe(0)
  await failLoad(store, { id: load, now })
})

describe('a load', () => {
  it('stores the same facts from CSV, NDJSON and Parquet, compressed or not, to the last digit', async () => {
    const facts = makeFacts(auctions, { count: 60, days: 3, seed: 5 })
    const accounts = await Promise.all(['csv', 'ndjson', 'parquet'].map((name) => service.createAccount(name)))
    const [csv, ndjson, parquet] = accounts.map(({ id }) => id) as [string, string, string]
    const files = await write({
      'auctions.csv.gz': gzipSync(`\uFEFF${toCsv(auctions, csv, facts).replaceAll('"\n', '"\r\n')}`),
      'auctions.ndjson.zst': zstdCompressSync(toNdjson(auctions, ndjson, facts)),
      'auctions.parquet': toParquet(auctions, parquet, facts, { money: 'double' }),
    })
    const deps = { ...service, now: () => now }
    const loaded = await loadFacts(deps, auctions, files, { loadedBy: 'somebody' })
    expect(loaded).toMatchObject({ rows: 180, accounts: 3, days: 3, firstDay: '2026-11-12', lastDay: '2026-11-14' })

    // Compare every column: hardly two facts have the same dimensions.
    const query = {
      start: '2026-11-12',
      end: '2026-11-14',
      dimensions: auctions.dimensions.map(({ name }) => name),
      metrics: auctions.metrics.filter(({ formula }) => formula.kind !== 'ratio').map(({ name }) => name),
      filters: [],
      sort: [],
      limit: 1_000,
    }
    const days = ['2026-11-12', '2026-11-13', '2026-11-14']
    const expected = answerNaively(facts, query)
    for (const { id: account } of accounts) {
      const visible = await findVisibleLoads(store, { cube: auctions.name, account, start: days[0]! })
      const scope = { account, visible }
      const options = { id: account, signal: new AbortController().signal }
      const { json } = await engine.readRows(makeQuery(auctions, query), scope, options)
      expect(JSON.parse(`[${json.toString()}]`)).toEqual(expected)
    }

    const [record] = await listLoads(store, { before: loaded.id + 1, limit: 1 })
    expect(record).toMatchObject({ state: 'visible', loadedBy: 'somebody', rows: 180, accounts: 3 })
    expect(record!.files).toEqual(
      files.map((name) => ({ name, bytes: expect.any(Number), checksum: expect.stringMatching(/^[0-9a-f]{64}$/) })),
    )
  })

  it('detects the formats of files, and stores devices with their requests, impressions and clicks', async () => {
    const cube = platformPerformance
    const facts = makeFacts(cube, { count: 40, days: 2, seed: 6 })
    const accounts = await Promise.all(['ndjson', 'parquet'].map((name) => service.createAccount(name)))
    const [ndjson, parquet] = accounts.map(({ id }) => id) as [string, string]
    const files = await write({
      'platform-1': toNdjson(cube, ndjson, facts),
      'platform-2': gzipSync(toParquet(cube, parquet, facts, { money: 'decimal' })),
    })
    await loadFacts({ ...service, now: () => now }, cube, files)
    const query = {
      start: '2026-11-13',
      end: '2026-11-14',
      dimensions: ['OS'],
      metrics: ['Adserver Revenue', 'NR eCPM', 'Req DAU', 'Imp DAU', 'Clk DAU'],
      filters: [],
      sort: [],
      limit: 1000,
    }
    const answers = await Promise.all(accounts.map(({ key }) => service.ask(key, cube.alias, query)))
    const naive = answerNaively(facts, query)
    for (const { body } of answers) expect(body.data).toEqual(naive)
  })

  it('replaces or extends exactly the days of the accounts that it contains, atomically', async () => {
    const [left, right] = await Promise.all([service.createAccount('left'), service.createAccount('right')])
    const header = 'account,Day,Country,auctions,cleared,clicks,net_revenue,device_id\n'
    const days = async (key: string) => {
      const query = {
        start: '2026-11-12',
        end: '2026-11-14',
        dimensions: ['Day'],
        metrics: ['Auctions', 'Net Revenue', 'Uniques'],
      }
      const { body } = await service.ask(key, 'auctions', query)
      return body.data.map((row: object) => Object.values(row))
    }
    const first = await loadText(
      'first.csv',
      header +
        // Rounded to six decimals: up, down, away from zero.
        `${left.id},2026-11-12,US,1,1,1,0.0000015,a\n` +
        `${left.id},2026-11-13,US,2,2,2,1e-7,a\n` +
        `${left.id},2026-11-13,DE,4,4,4,-1.5,b\n` +
        `${right.id},2026-11-13,US,8,8,9,2,a\n`,
    )
    expect(first).toMatchObject({ rows: 4, accounts: 2, days: 2 })
    expect(first.warnings).toEqual({
      count: 1,
      first: [
        { file: expect.stringMatching(/first\.csv$/), row: 4, column: 'clicks', reason: '9 is more than cleared, 8' },
      ],
    })
    // Warnings are stored with the load.
    const recorded = await listLoads(service.store, { before: first.id + 1, limit: 1 })
    expect(recorded).toMatchObject([{ id: first.id, warnings: first.warnings }])
    expect(await showRange(left.key)).toMatchObject([{ start: '2026-11-12', end: '2026-11-13' }])
    const old = [
      ['2026-11-12', 1, 0.000002, 1],
      ['2026-11-13', 6, -1.5, 2],
    ]
    expect(await days(left.key)).toEqual(old)

    await loadText(
      'second.csv',
      `${header}${left.id},2026-11-13,FR,100,1,1,10,c\n${left.id},2026-11-14,FR,200,1,1,20,c\n`,
    )
    expect(await showRange(left.key)).toMatchObject([{ start: '2026-11-12', end: '2026-11-14' }])
    expect(await showRange(right.key)).toMatchObject([{ start: '2026-11-13', end: '2026-11-13' }])
    const replaced = [old[0], ['2026-11-13', 100, 10, 1], ['2026-11-14', 200, 20, 1]]
    const [after, untouched] = await Promise.all([days(left.key), days(right.key)])
    expect(after).toEqual(replaced)
    expect(untouched).toEqual([['2026-11-13', 8, 2, 1]])

    const more = `${JSON.stringify({ account: left.id, Day: '2026-11-14', Auctions: 1000, Devices: ['d', 'e'] })}\n`
    const append = (name: string, options: LoadOptions = {}) => loadText(name, more, { mode: 'append', ...options })
    // The same bytes under two names at once are added once, unless `--repeat` is given.
    const appended = await Promise.all(['more.ndjson', 'again.ndjson'].map((name) => append(name)))
    expect(appended.filter(({ repeated }) => repeated === undefined)).toHaveLength(1)
    expect(await days(left.key)).toEqual([...replaced.slice(0, 2), ['2026-11-14', 1200, 20, 3]])
    await append('more.ndjson', { mayRepeat: true })
    expect(await days(left.key)).toEqual([...replaced.slice(0, 2), ['2026-11-14', 2200, 20, 3]])
  })

  it('gives the totals of a naive model, in any number and order', async () => {
    const days = ['2026-11-12', '2026-11-13']
    const row = fc.record({ owner: fc.nat(1), day: fc.constantFrom(...days), auctions: fc.nat(1_000) })
    const anyLoad = fc.record({
      mode: fc.constantFrom<LoadMode>('replace', 'replace', 'append'),
      rows: fc.array(row, { minLength: 1, maxLength: 5 }),
      isFaulty: fc.boolean(),
    })
    const some = fc.array(anyLoad, { minLength: 4, maxLength: 6 })
    const property = fc.asyncProperty(some, async (loads) => {
      const accounts = await Promise.all(['one', 'two'].map((name) => service.createAccount(name)))
      const totals = new Map<string, number>()
      for (const [number, { mode, rows, isFaulty }] of loads.entries()) {
        const lines = rows.map(
          ({ owner, day, auctions: count }) => `${accounts[owner]!.id},${day},${count},${number}\n`,
        )
        const fault = `${accounts[0]!.id},${days[0]},-1,\n`
        const text = `account,day,auctions,site\n${lines.join('')}${isFaulty ? fault : ''}`
        const loading = loadText('any.csv', text, { mode })
        if (isFaulty) {
          await expect(loading).rejects.toBeInstanceOf(LoadRefused)
          continue
        }
        await loading
        const keyOf = ({ owner, day }: (typeof rows)[number]): string => `${accounts[owner]!.id} ${day}`
        if (mode === 'replace') for (const each of rows) totals.delete(keyOf(each))
        for (const each of rows) totals.set(keyOf(each), (totals.get(keyOf(each)) ?? 0) + each.auctions)
      }
      for (const { id, key } of accounts) {
        const query = { start: days[0], end: days[1], dimensions: ['Day'], metrics: ['Auctions'] }
        const { body } = await service.ask(key, 'auctions', query)
        const expected = days
          .filter((day) => totals.has(`${id} ${day}`))
          .map((day) => [day, totals.get(`${id} ${day}`)])
        expect(body.data.map((each: object) => Object.values(each))).toEqual(expected)
      }
    })
    await fc.assert(property, { numRuns: 10, endOnFailure: true })
  })
})
