import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createClient } from '@clickhouse/client'
import { expect, it, onTestFinished } from 'vitest'
import { auctions } from '../../src/catalog/auctions.ts'
import { count, dimension, metric, sum, type Cube } from '../../src/catalog/cube.ts'
import { cubes } from '../../src/catalog/cubes.ts'
import { makeDraft, makeQuery } from '../setup/draft.ts'
import { atPort, openFactsAt, ownDatabase } from './own-database.ts'

it('a database is created by the first process, also if several start at once', async () => {
  const addresses = ownDatabase()
  const all = await Promise.all([1, 2, 3].map(() => openFactsAt(addresses)))
  expect(await Promise.all(all.map((facts) => facts.isUp()))).toEqual([true, true, true])
  await openFactsAt(addresses)
})

it('a database that belongs to other control data is refused', async () => {
  const addresses = ownDatabase()
  await openFactsAt(addresses, { owner: 'one' })
  await expect(openFactsAt(addresses, { owner: 'two' })).rejects.toThrow('belong to other control data')
  await openFactsAt(addresses, { owner: 'one' })
})

it('if two owners start at once, one of them gets the database', async () => {
  const addresses = ownDatabase()
  const outcomes = await Promise.allSettled(['one', "it's two"].map((owner) => openFactsAt(addresses, { owner })))
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
})

it('an unknown schema version is refused', async () => {
  const addresses = ownDatabase()
  await openFactsAt(addresses)
  const client = createClient({ url: addresses.url })
  await client.command({ query: "INSERT INTO schema_steps (step, name) VALUES (99, 'from the future')" })
  await client.close()
  await expect(openFactsAt(addresses)).rejects.toThrow('step 99, "from the future"')
})

it('tables get the new columns of their cubes, and new cubes get tables', async () => {
  const addresses = ownDatabase()
  const account = 'growth'
  const day = '2026-11-14'
  const options = { signal: new AbortController().signal, onProgress: () => {}, id: 'growth' }
  const earlier = await openFactsAt(addresses)
  await earlier.addLoad(await makeDraft(auctions, 1, [{ account, day }], { hasRollups: true }), options)

  const grown: Cube = {
    ...auctions,
    dimensions: [...auctions.dimensions, dimension('Weather', '')],
    measures: [...auctions.measures, count('shares', '')],
    metrics: [...auctions.metrics, metric('Shares', 'count', sum('shares'), '')],
  }
  const third: Cube = { ...grown, name: 'third_cube', alias: 'third', table: 'third_facts', sortKey: ['weather'] }
  // Several processes start at once.
  const opened = await Promise.all([1, 2].map(() => openFactsAt(addresses, { cubes: [...cubes, third, grown] })))
  const facts = opened[0]!
  // One that has not been upgraded yet goes on loading.
  await earlier.addLoad(await makeDraft(auctions, 2, [{ account, day }], { hasRollups: true }), options)
  await facts.addLoad(await makeDraft(grown, 3, [{ account, day }], { hasRollups: true }), options)
  await facts.addLoad(await makeDraft(third, 4, [{ account, day }], { hasRollups: true }), options)
  const ask = async (cube: Cube, dimensions: string[], loads: readonly number[], rollupHas: string | null = null) => {
    const visible = loads.map((load) => ({ day, load, rollupHas }))
    const query = makeQuery(cube, { dimensions, metrics: ['Auctions', 'Shares'] })
    return JSON.parse(`[${(await facts.readRows(query, { account, visible }, options)).json.toString()}]`)
  }
  for (const rollupHas of [null, '']) {
    expect(await ask(grown, [], [1, 2, 3], rollupHas)).toEqual([{ Auctions: 3, Shares: 1 }])
    expect(await ask(grown, ['Weather'], [1, 2, 3], rollupHas)).toEqual([{ Weather: null, Auctions: 3, Shares: 1 }])
  }
  expect(await ask(third, ['Weather'], [4])).toEqual([{ Weather: null, Auctions: 1, Shares: 1 }])
})

it('a server that is too old is refused', async () => {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end('{"version":"24.8.14.39"}\n'))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const addresses = atPort(ownDatabase(), (server.address() as AddressInfo).port)
  await expect(openFactsAt(addresses)).rejects.toThrow('has version 24.8.14.39; Adcube needs 25.3 or newer')
})
