import { createClient } from '@clickhouse/client'
import { expect, it } from 'vitest'
import { inspectFacts } from '../../src/facts/open-facts.ts'
import { atPort, openFactsAt, ownDatabase, type Addresses } from './own-database.ts'

const look = ({ url, readerUrl }: { url: string; readerUrl: string | undefined }, owner?: string) =>
  inspectFacts({ folder: '/nowhere', queryMemoryMb: 64, owner, clickhouseUrl: url, clickhouseReaderUrl: readerUrl })

const statusesOf = async (...given: Parameters<typeof look>) => (await look(...given)).map(({ status }) => status)

async function change({ url }: Addresses, query: string): Promise<void> {
  const client = createClient({ url })
  await client.command({ query })
  await client.close()
}

it('the check does not create a database', async () => {
  const addresses = ownDatabase()
  expect(await statusesOf(addresses)).toEqual(['ok', 'warn'])
  expect(await statusesOf(addresses)).toEqual(['ok', 'warn'])
})

it('a database in use is healthy, for its owner and with a read-only user', async () => {
  const addresses = ownDatabase()
  await openFactsAt(addresses, { owner: 'one' })
  expect(await statusesOf(addresses, 'one')).toEqual(['ok', 'ok', 'ok', 'ok'])
})

it('facts of another owner, a missing reader, a reader that can write, and a newer schema are found', async () => {
  const addresses = ownDatabase()
  await openFactsAt(addresses, { owner: 'one' })
  expect(await statusesOf(addresses, 'two')).toEqual(['ok', 'fail'])
  expect(await statusesOf({ ...addresses, readerUrl: undefined }, 'one')).toEqual(['ok', 'ok', 'ok', 'warn'])
  expect(await statusesOf({ ...addresses, readerUrl: addresses.url }, 'one')).toEqual(['ok', 'ok', 'ok', 'fail'])
  await change(addresses, "INSERT INTO schema_steps (step, name) VALUES (99, 'from the future')")
  expect(await statusesOf(addresses, 'one')).toEqual(['ok', 'fail'])
})

it('a writer without the necessary grants is found', async () => {
  const addresses = ownDatabase()
  await openFactsAt(addresses, { owner: 'one' })
  const findings = await look({ url: addresses.readerUrl, readerUrl: addresses.readerUrl }, 'one')
  expect(findings[2]).toMatchObject({ status: 'fail', detail: expect.stringContaining('ALTER DELETE') })
})

it('a server that is away is found', async () => {
  const [finding, ...others] = await look(atPort(ownDatabase(), 1))
  expect(finding).toMatchObject({ status: 'fail', detail: expect.stringContaining('ECONNREFUSED') })
  expect(others).toEqual([])
})
