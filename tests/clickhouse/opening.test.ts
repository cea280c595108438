import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createClient } from '@clickhouse/client'
import { expect, it, onTestFinished } from 'vitest'
import { atPort, openFactsAt, ownDatabase } from './own-database.ts'

it('a database is made by the first who comes, also when several come at once', async () => {
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

it('of two owners who come at once, one gets the database', async () => {
  const addresses = ownDatabase()
  const outcomes = await Promise.allSettled(['one', "it's two"].map((owner) => openFactsAt(addresses, { owner })))
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
})

it('a schema that this version does not know is refused', async () => {
  const addresses = ownDatabase()
  await openFactsAt(addresses)
  const client = createClient({ url: addresses.url })
  await client.command({ query: "INSERT INTO schema_steps (step, name) VALUES (99, 'from the future')" })
  await client.close()
  await expect(openFactsAt(addresses)).rejects.toThrow('step 99, "from the future"')
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
