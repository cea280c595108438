import { Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { auctions } from '../../src/catalog/auctions.ts'
import { makeDraft, makeQuery } from '../setup/draft.ts'
import { isEmulated } from './is-emulated.ts'
import { atPort, openFactsAt, ownDatabase } from './own-database.ts'
import { openSilenceable } from './silent-server.ts'

/** Long enough for a server that works. */
const msMax = isEmulated ? 20_000 : 2_000
const short = { probeMsMax: msMax, statementMsMax: msMax, removalMsMax: msMax, insertMsMax: msMax }
const query = makeQuery(auctions, { metrics: ['Auctions'] })
const portion = { account: 'acme', day: '2026-11-13', load: 1 }
const scope = { account: portion.account, visible: [portion] }
const signal = new AbortController().signal

describe('a server that accepts connections and never answers', async () => {
  const addresses = ownDatabase()
  const way = await openSilenceable(addresses.url)
  const silent = atPort(addresses, way.port)
  const facts = await openFactsAt(silent, { queryMsMax: msMax }, short)
  way.silence()

  it.concurrent.each([
    ['a query', () => facts.readRows(query, scope, { id: 'test', signal })],
    [
      'an export',
      () => {
        const target = new Writable({ write: (_chunk, _encoding, done) => done() })
        return facts.writeCsv(query, scope, target, { id: 'test', msMax, signal, onProgress: () => {} })
      },
    ],
    ['a load', async () => facts.addLoad(await makeDraft(auctions, 1, [portion]), { signal, onProgress: () => {} })],
    ['the removal of loads', () => facts.removeLoads(auctions, [1])],
    ['the removal of portions', () => facts.removePortions(auctions, [portion])],
    ['an opening', () => openFactsAt(silent, {}, short)],
  ])('makes %s fail after its timeout', async (_, call) => {
    await expect(call()).rejects.toMatchObject({ name: 'FactsError', trouble: 'timeout' })
  })

  it.concurrent('is not up', async () => {
    expect(await facts.isUp()).toBe(false)
  })
})

describe('a server that ends during a load', async () => {
  const addresses = ownDatabase()
  const way = await openSilenceable(addresses.url)
  const facts = await openFactsAt(atPort(addresses, way.port), {}, short)
  way.endAt('INSERT')

  it('is reported as unavailable', async () => {
    const draft = await makeDraft(auctions, 1, [portion])
    const adding = facts.addLoad(draft, { signal, onProgress: () => {} })
    await expect(adding).rejects.toMatchObject({ name: 'FactsError', trouble: 'away' })
  })
})

describe('a server that does not exist', () => {
  it('is reported as unavailable', async () => {
    await expect(openFactsAt(atPort(ownDatabase(), 1))).rejects.toMatchObject({ name: 'FactsError', trouble: 'away' })
  })
})
