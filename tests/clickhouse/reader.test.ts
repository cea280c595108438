import { createClient } from '@clickhouse/client'
import { describe, expect, it } from 'vitest'
import { auctions } from '../../src/catalog/auctions.ts'
import { atEnd } from '../setup/at-end.ts'
import { makeDraft, sumOf } from '../setup/draft.ts'
import { openFactsAt, ownDatabase } from './own-database.ts'

const addresses = ownDatabase()
const facts = await openFactsAt(addresses)
const reader = createClient({ url: addresses.readerUrl })
atEnd(() => reader.close())

describe('the user of API queries', () => {
  it.each([
    'DROP TABLE auctions_facts',
    "INSERT INTO schema_steps (step, name) VALUES (9, 'x')",
    'ALTER TABLE auctions_facts DELETE WHERE 1',
    'CREATE TABLE mine (x Int8) ENGINE = Memory',
    'SELECT * FROM system.processes',
    'SELECT * FROM system.users',
    "SELECT * FROM file('/etc/passwd', 'LineAsString')",
    "SELECT * FROM url('http://127.0.0.1:1/', 'LineAsString')",
    "SELECT * FROM remote('127.0.0.1:9000', system.one)",
    "KILL QUERY WHERE query_id = 'x'",
    'SYSTEM SHUTDOWN',
    'SET readonly = 0',
  ])('cannot %s', async (query) => {
    await expect(reader.command({ query })).rejects.toMatchObject({
      type: expect.stringMatching(/ACCESS_DENIED|READONLY/),
    })
  })

  it('can read the tables of facts', async () => {
    const portion = { account: 'acme', day: '2026-11-13' }
    const adding = { signal: new AbortController().signal, onProgress: () => {} }
    await facts.addLoad(await makeDraft(auctions, 1, [portion], { value: 3 }), adding)
    expect(await sumOf(facts, auctions, { ...portion, load: 1 })).toBe(3)
    expect(await facts.isUp()).toBe(true)
  })
})
