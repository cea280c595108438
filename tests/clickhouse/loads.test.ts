import { existsSync } from 'node:fs'
import { createClient } from '@clickhouse/client'
import { expect, it, vi } from 'vitest'
import { auctions } from '../../src/catalog/auctions.ts'
import { platformPerformance } from '../../src/catalog/platform-performance.ts'
import { atEnd } from '../setup/at-end.ts'
import { makeDraft, makeQuery, sumOf } from '../setup/draft.ts'
import { makeLargeDraft } from './make-large-draft.ts'
import { openFactsAt, ownDatabase } from './own-database.ts'

const addresses = ownDatabase()
const facts = await openFactsAt(addresses)
const client = createClient({ url: addresses.url })
atEnd(() => client.close())
const options = { signal: new AbortController().signal, onProgress: () => {} }
const read = { id: 'test', signal: options.signal }
const days = ['2026-11-13', '2026-11-14'] as const
const [day] = days

it('removing a load leaves other loads', async () => {
  for (const load of [2, 3]) {
    await facts.addLoad(
      await makeDraft(
        auctions,
        load,
        days.map((day) => ({ account: 'removed', day })),
      ),
      options,
    )
  }
  await facts.removeLoads(auctions, [2, 999])
  expect(await sumOf(facts, auctions, { account: 'removed', day, load: 2 })).toBe(0)
  expect(await sumOf(facts, auctions, { account: 'removed', day, load: 3 })).toBe(1)
})

it('removing portions leaves other portions', async () => {
  const portions = ['one', 'two'].flatMap((account) => days.map((day) => ({ account, day })))
  for (const load of [4, 5]) await facts.addLoad(await makeDraft(auctions, load, portions), options)
  await facts.removePortions(auctions, [
    { account: 'one', day: days[0], load: 4 },
    { account: 'two', day: days[1], load: 5 },
  ])
  const left = []
  for (const load of [4, 5]) {
    for (const portion of portions) left.push(await sumOf(facts, auctions, { ...portion, load }))
  }
  expect(left).toEqual([0, 1, 1, 1, 1, 1, 1, 0])
})

it('many small files are stored in few parts without losing rows', async () => {
  const accounts = Array.from({ length: 40 }, (_, index) => `small-${index}`)
  const files = accounts.flatMap((account) =>
    days.map((day) => ({ account, day, rows: 5, columns: { auctions: 'i + 1', net_revenue: '0.000001' } })),
  )
  const shares: number[] = []
  const draft = await makeLargeDraft(auctions, 6, files)
  await facts.addLoad(draft, { ...options, onProgress: (share) => shares.push(share) })
  expect(shares.at(-1)).toBe(1)
  expect(existsSync(draft.folder)).toBe(false)
  const answer = await client.query({
    query: `SELECT toString(sum(auctions)) AS auctions, toString(sum(net_revenue)) AS revenue,
      toString(uniqExact(account)) AS accounts, uniqExact(_part) <= 2 AS areFew
      FROM auctions_facts WHERE load = 6`,
    format: 'JSONEachRow',
  })
  expect(await answer.json()).toEqual([{ auctions: '1200', revenue: '0.0004', accounts: '40', areFew: 1 }])
})

it('sums larger than 64 bits keep every digit', async () => {
  const columns = { ad_requests: '9223372036854775807', revenue: '999999999999.999999' }
  await facts.addLoad(
    await makeLargeDraft(platformPerformance, 7, [{ account: 'sums', day, rows: 10, columns }]),
    options,
  )
  const query = makeQuery(platformPerformance, { metrics: ['Ad Requests', 'Adserver Revenue'] })
  const { json } = await facts.readRows(query, { account: 'sums', visible: [{ day, load: 7 }] }, read)
  expect(json.toString()).toBe('{"Ad Requests":92233720368547758070,"Adserver Revenue":9999999999999.99999}')
})

it('a distinct count of many devices, spread over facts and days, is within 1.5 % of the truth', async () => {
  const count = 30_000
  const files = days.map((day, index) => ({
    account: 'devices',
    day,
    rows: 15,
    // Every device is in two facts.
    columns: {
      ad_requests: '1',
      devices: `[hash((i * 2000 + ${index * 1_000} + device) % ${count}) FOR device IN range(2000)]`,
    },
  }))
  await facts.addLoad(await makeLargeDraft(platformPerformance, 8, files), options)
  const scope = { account: 'devices', visible: days.map((day) => ({ day, load: 8 })) }
  const query = makeQuery(platformPerformance, { metrics: ['Uniques', 'Req DAU'] })
  const { json } = await facts.readRows(query, scope, read)
  const { Uniques, 'Req DAU': daily } = JSON.parse(json.toString())
  expect(Math.abs(Uniques / count - 1)).toBeLessThan(0.015)
  expect(Math.abs(daily / count - 1)).toBeLessThan(0.015)
})

it('adding a load can be cancelled, and the rows that it has stored can be removed', async () => {
  const files = days.map((day) => ({ account: 'cancelled', day, rows: 60_000, columns: { auctions: '1' } }))
  const controller = new AbortController()
  const adding = facts.addLoad(await makeLargeDraft(auctions, 9, files), {
    signal: controller.signal,
    onProgress: () => controller.abort(),
  })
  await expect(adding).rejects.toMatchObject({ trouble: 'cancelled' })
  await facts.removeLoads(auctions, [9])
  for (const day of days) expect(await sumOf(facts, auctions, { account: 'cancelled', day, load: 9 })).toBe(0)
})

it('removing a load cancels its running inserts', async () => {
  const queryId = 'load_10_left-behind'
  // The query reads one row a second for a minute.
  const refused = expect(
    client.command({
      query: `INSERT INTO auctions_facts (load, day) SELECT 10, '${day}' FROM numbers(60) WHERE sleepEachRow(1) = 0`,
      query_id: queryId,
      clickhouse_settings: { max_block_size: '1' },
    }),
  ).rejects.toThrow('was cancelled')
  const isRunning = async (): Promise<boolean> => {
    const query = 'SELECT 1 FROM system.processes WHERE query_id = {queryId:String}'
    return (await (await client.query({ query, query_params: { queryId }, format: 'JSONEachRow' })).json()).length > 0
  }
  await vi.waitFor(async () => expect(await isRunning()).toBe(true), { timeout: 8_000, interval: 50 })
  await facts.removeLoads(auctions, [10])
  expect(await isRunning()).toBe(false)
  await refused
})
