import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import { describe, expect, it } from 'vitest'
import { countInStore, readCounts } from '../../src/access/count-in-store.ts'
import { countInMemory, noLimits } from '../../src/access/rate-limiter.ts'
import { rateRules } from '../../src/access/rate-rules.ts'
import { findAccount, insertAccount } from '../../src/store/accounts.ts'
import { migrations } from '../../src/store/migrations.ts'
import { createStore, type Store } from '../../src/store/open-store.ts'
import { createSqliteDialect } from '../../src/store/sqlite.ts'
import { atEnd } from '../setup/at-end.ts'
import { openControlService } from '../setup/control-service.ts'
import { makeKey } from '../setup/make-key.ts'
import { databases, makePlace, openStoreAt } from '../setup/stores.ts'

/** The table of rate limits, each with a request that no smaller quota limits first. */
const table = [
  { rule: 'get', method: 'GET', path: '/nothing', windowSeconds: 60, quota: 1080 },
  { rule: 'post', method: 'POST', path: '/nothing', windowSeconds: 60, quota: 1080 },
  { rule: 'put', method: 'PUT', path: '/nothing', windowSeconds: 60, quota: 1080 },
  { rule: 'delete', method: 'DELETE', path: '/nothing', windowSeconds: 60, quota: 1080 },
  { rule: 'line-items-fetch', method: 'GET', path: '/line-items', windowSeconds: 1, quota: 5 },
  { rule: 'line-items-update', method: 'PUT', path: '/line-items', windowSeconds: 60, quota: 60 },
  { rule: 'image-upload', method: 'POST', path: '/creatives/image_upload', windowSeconds: 5, quota: 5 },
  { rule: 'data-get', method: 'GET', path: '/data', windowSeconds: 60, quota: 10 },
  { rule: 'data-post', method: 'POST', path: '/data/nothing', windowSeconds: 60, quota: 5 },
] as const

const store = await openStoreAt(await makePlace('SQLite'))
const service = await openControlService(store)
const { ask, clock, makeAccount } = service

describe('the rule', () => {
  it.each(table)('$rule allows $quota requests in $windowSeconds s and no more', async (row) => {
    const { rule, method, path, windowSeconds, quota } = row
    const { key } = await makeAccount()
    // Requests one after the other, so that the first ones stop counting first.
    const gapMs = (windowSeconds * 1000) / quota / 2
    const startedAt = clock.now
    for (let count = 0; count < quota; count++) {
      const { status } = await ask(key, method, `/v2${path}`)
      expect(status === 429, `request ${count + 1}`).toBe(false)
      clock.now += gapMs
    }
    const refused = await ask(key, method, `/v2${path}`)
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
    expect(refused.body.detail).toContain(`at most ${quota} in ${windowSeconds} seconds ("${rule}")`)
    // Exact to a second, and never too early. A slot, a 60th of the window, stops counting with its last request.
    const retryMs = Number(refused.headers['retry-after']) * 1000
    const freeAt = startedAt + windowSeconds * 1000
    const slotMs = quota > 30 ? (windowSeconds * 1000) / 60 : 0
    expect(clock.now + retryMs).toBeGreaterThanOrEqual(freeAt)
    expect(clock.now + retryMs).toBeLessThan(freeAt + slotMs + 1_000)
    const refusedAt = clock.now
    clock.now = freeAt - 1
    expect((await ask(key, method, `/v2${path}`)).status).toBe(429)
    clock.now = Math.min(freeAt + slotMs, refusedAt + retryMs)
    expect((await ask(key, method, `/v2${path}`)).status).not.toBe(429)
  })

  it('for line items and images counts, although these paths do not exist', async () => {
    const { key } = await makeAccount()
    expect((await ask(key, 'GET', '/v2/line-items')).status).toBe(404)
    expect((await ask(key, 'PUT', '/v2/line-items')).status).toBe(404)
    expect((await ask(key, 'POST', '/v2/creatives/image_upload')).status).toBe(404)
  })

  it('for ten synchronous requests a minute applies in addition to the others', async () => {
    // The quota of all data POSTs is smaller, so this rule is tested alone.
    const limiter = countInMemory()
    const account = (await findAccount(store, (await makeAccount()).id))!
    const rules = rateRules.filter(({ name }) => name === 'synchronous')
    const take = (now: number) => limiter.take(account, rules, () => now)
    for (let count = 0; count < 10; count++) expect((await take(0)).refusal).toBeUndefined()
    expect((await take(1)).refusal).toMatchObject({ retryMs: 59_999 })
    expect((await take(60_000)).refusal).toBeUndefined()
    const { headers } = await ask((await makeAccount()).key, 'POST', '/v2/data/synchronous?cube=auctions')
    expect(headers['ratelimit-policy']).toBe('"post";q=1080;w=60, "data-post";q=5;w=60, "synchronous";q=10;w=60')
  })
})

describe('a count', () => {
  const statuses = async (keys: readonly string[], url: string, method: 'GET' | 'HEAD' = 'GET') => {
    const answers = []
    for (const key of keys) answers.push((await ask(key, method, url)).status)
    return answers
  }

  it('is shared by all versions, and by every spelling of a path', async () => {
    const { key } = await makeAccount()
    const ten = [
      '/v1/data',
      '/v2/data',
      '/v2/data/metadata',
      '/v99/data/x',
      '/v2/%64ata',
      '/%762/data',
      '/v2/data?cube=auctions',
    ]
    for (const url of [...ten, '/v1/data?x', '/v3/data/', '/v2/data/status'])
      expect(await statuses([key], url)).not.toContain(429)
    for (const url of [...ten, '/v2/data#x', 'http://any.example/v2/data'])
      expect(await statuses([key], url)).toEqual([429])
    expect(await statuses([key], '/v2/data', 'HEAD')).toEqual([429])
  })

  it('is shared by the keys of an account, and not by accounts', async () => {
    const one = await makeAccount()
    const second = await makeKey(store, one.id, clock.now)
    const other = await makeAccount()
    expect(await statuses([one.key, second, one.key, second, one.key, second], '/v2/data')).not.toContain(429)
    expect(await statuses([one.key, second, one.key, second], '/v2/data')).not.toContain(429)
    expect(await statuses([one.key, second, other.key], '/v2/data')).toEqual([429, 429, 200])
  })

  it('does not include refused requests', async () => {
    const { key } = await makeAccount()
    for (let count = 0; count < 10; count++) await ask(key, 'GET', '/v2/data')
    for (let count = 0; count < 2000; count++) await ask(key, 'GET', '/v2/data')
    // If they had counted, the 1,080 of all GET requests would be used up too.
    const { status, headers } = await ask(key, 'GET', '/v2/nothing')
    expect({ status, rateLimit: headers.ratelimit }).toEqual({ status: 404, rateLimit: '"get";r=1069;t=60' })
  })

  it('includes invalid requests', async () => {
    const { key } = await makeAccount()
    const post = () =>
      service.send({ method: 'POST', url: '/v2/data/synchronous', headers: { 'x-api-key': key }, payload: '{' })
    for (let count = 0; count < 5; count++) expect((await post()).status).toBe(415)
    expect((await post()).status).toBe(429)
  })

  it('has a larger quota for an account with a rate factor', async () => {
    const { key } = await makeAccount(10)
    for (let count = 0; count < 100; count++) expect((await ask(key, 'GET', '/v2/data')).status).toBe(200)
    const { status, headers } = await ask(key, 'GET', '/v2/data')
    expect({ status, policy: headers['ratelimit-policy'] }).toEqual({
      status: 429,
      policy: '"get";q=10800;w=60, "data-get";q=100;w=60',
    })
  })

  it('is not kept if rate limits are off', async () => {
    const { ask, makeAccount } = await openControlService(store, noLimits)
    const { key } = await makeAccount()
    for (let count = 0; count < 30; count++) expect((await ask(key, 'GET', '/v2/data')).status).toBe(200)
  })
})

describe('rate limit headers', () => {
  it('list the rules that apply, the requests left, and the seconds until more are left', async () => {
    const { key } = await makeAccount()
    const first = await ask(key, 'GET', '/v2/data')
    expect(first.headers).toMatchObject({
      'ratelimit-policy': '"get";q=1080;w=60, "data-get";q=10;w=60',
      ratelimit: '"get";r=1079;t=60, "data-get";r=9;t=60',
    })
    clock.now += 20_500
    const { headers } = await ask(key, 'GET', '/v2/nothing')
    expect(headers.ratelimit).toBe('"get";r=1078;t=40')
  })

  it('are on every answer to a valid key, and on none without one', async () => {
    const { key } = await makeAccount()
    for (const url of ['/v2/data', '/v2/data?wrong=1', '/v2/nothing', '/v1/data']) {
      expect((await ask(key, 'GET', url)).headers).toHaveProperty('ratelimit')
    }
    expect((await ask(key, 'DELETE', '/v2/data')).headers).toHaveProperty('ratelimit')
    expect((await ask('x', 'GET', '/v2/data')).headers).not.toHaveProperty('ratelimit')
  })
})

describe('requests without a valid key', () => {
  const knock = (remoteAddress: string, key?: string) =>
    service.send({
      method: 'GET',
      url: '/v2/data',
      remoteAddress,
      ...(key !== undefined && { headers: { 'x-api-key': key } }),
    })

  it('are slowed after sixty refusals from one address, and only from that address', async () => {
    for (let count = 0; count < 60; count++) expect((await knock('192.0.2.1')).status).toBe(401)
    const refused = await knock('192.0.2.1', 'x')
    expect(refused).toMatchObject({ status: 429, body: { code: 'too_many_attempts' }, headers: { 'retry-after': '1' } })
    expect((await knock('192.0.2.2')).status).toBe(401)
    clock.now += 1_000
    expect((await knock('192.0.2.1')).status).toBe(401)
    expect((await knock('192.0.2.1')).status).toBe(429)
  })

  it('behind a proxy count for the address that the proxy saw, not for one that the client claims', async () => {
    const proxied = await openControlService(store, noLimits, { trustProxy: true })
    const claim = (addresses: string) =>
      proxied.send({ method: 'GET', url: '/v2/data', headers: { 'x-forwarded-for': addresses } })
    for (let count = 0; count < 60; count++) expect((await claim(`203.0.113.${count}, 192.0.2.9`)).status).toBe(401)
    expect((await claim('198.51.100.1, 192.0.2.9')).status).toBe(429)
    expect((await claim('192.0.2.9, 192.0.2.10')).status).toBe(401)
  })

  it('do not slow a valid key from the same address', async () => {
    const { key } = await makeAccount()
    for (let count = 0; count < 70; count++) await knock('192.0.2.3')
    expect((await knock('192.0.2.3')).status).toBe(429)
    expect((await knock('192.0.2.3', key)).status).toBe(200)
  })
})

describe.each(databases)('nodes that share a count in %s', async (database) => {
  const place = await makePlace(database)
  const first = await openStoreAt(place)
  await insertAccount(first, { id: 'shared', name: 'Shared', createdAt: 0 })
  await insertAccount(first, { id: 'racing', name: 'Racing', createdAt: 0 })
  await insertAccount(first, { id: 'waiting', name: 'Waiting', createdAt: 0 })

  it('count together, and release together', async () => {
    const account = (await findAccount(first, 'shared'))!
    const nodes = [countInStore(first), countInStore(await openStoreAt(place))]
    const rules = rateRules.filter(({ name }) => name === 'get' || name === 'data-get')
    const take = (index: number, now: number) => nodes[index % 2]!.take(account, rules, () => now)
    for (let count = 0; count < 10; count++) {
      expect(await take(count, count * 1_000)).toMatchObject({ refusal: undefined })
    }
    const { refusal } = await take(0, 10_000)
    expect(refusal).toMatchObject({ rule: { name: 'data-get' }, retryMs: 50_000 })
    expect((await take(1, 59_999)).refusal).toBeDefined()
    expect(await take(1, 60_000)).toMatchObject({
      refusal: undefined,
      standings: [{ remaining: 1070 }, { remaining: 0 }],
    })
    // Counts that have ended are not stored.
    await take(0, 1_000_000)
    await take(1, 1_000_000)
    const { state } = await first.selectFrom('rateStates').select('state').executeTakeFirstOrThrow()
    const kept = [...readCounts(state)].map(([name, { slots }]) => [name, slots])
    const both = [{ lastAt: 1_000_000, count: 2 }]
    expect(kept).toEqual([
      ['get', both],
      ['data-get', both],
    ])
  })

  it('use the time at which a request is counted, not at which it began to wait', async () => {
    const account = (await findAccount(first, 'waiting'))!
    const limiter = countInStore(first)
    const rules = rateRules.filter(({ name }) => name === 'data-get')
    let now = 0
    const clock = () => now
    const decisions = Promise.all(Array.from({ length: 11 }, () => limiter.take(account, rules, clock)))
    now = 1_000
    expect((await decisions).at(-1)).toMatchObject({ refusal: { retryMs: 60_000 } })
    now = 60_999
    expect((await limiter.take(account, rules, clock)).refusal).toMatchObject({ retryMs: 1 })
  })

  it('never admit more than the quota when all count at once', async () => {
    const account = (await findAccount(first, 'racing'))!
    const stores = database === 'SQLite' ? [first] : [first, await openStoreAt(place), await openStoreAt(place)]
    const nodes = stores.map(countInStore)
    const rules = rateRules.filter(({ name }) => name === 'get' || name === 'data-get')
    const outcomes = await Promise.all(
      Array.from({ length: 1_000 }, async (_, index) => {
        // Some at once and others after the first answers, so that nodes compete in every order.
        for (let turn = 0; turn < index % 50; turn++) await delay(0)
        return nodes[index % nodes.length]!.take(account, rules, () => 5_000)
      }),
    )
    const admitted = outcomes.filter(({ refusal }) => refusal === undefined)
    expect(admitted).toHaveLength(10)
    // No request was granted twice.
    const left = admitted.map(({ standings }) => standings.find(({ name }) => name === 'data-get')?.remaining)
    expect(new Set(left).size).toBe(10)
  })
})

describe('the cost of a shared count', async () => {
  const store = await openStoreAt(await makePlace('PostgreSQL'))
  for (const id of ['full', 'crowd']) await insertAccount(store, { id, name: id, createdAt: 0 })
  const rules = rateRules.filter(({ name }) => name === 'get')

  it('does not grow with the number of counted requests', async () => {
    const account = (await findAccount(store, 'full'))!
    const limiter = countInStore(store)
    for (let second = 0; second < 54; second++) {
      const take = () => limiter.take(account, rules, () => second * 1_000)
      await Promise.all(Array.from({ length: 20 }, take))
    }
    expect((await limiter.take(account, rules, () => 54_000)).refusal).toBeDefined()
    const { state } = await store.selectFrom('rateStates').select('state').executeTakeFirstOrThrow()
    expect(state.length).toBeLessThan(600)
  })

  it('is a few statements per node, however many requests come at once', async () => {
    const account = (await findAccount(store, 'crowd'))!
    let statements = 0
    const counting = store.withPlugin({
      transformQuery: ({ node }) => {
        statements++
        return node
      },
      transformResult: async ({ result }) => result,
    })
    const nodes = Array.from({ length: 4 }, () => countInStore(counting))
    const asked = Array.from({ length: 400 }, (_, index) => nodes[index % 4]!.take(account, rules, () => 5_000))
    expect((await Promise.all(asked)).filter(({ refusal }) => refusal)).toEqual([])
    // Each node reads and writes the state.
    expect(statements).toBe(4 * 2)
  })
})

describe('an account whose count is locked by another node', async () => {
  const place = await makePlace('PostgreSQL')
  const [store, other] = [await openStoreAt(place), await openStoreAt(place)]
  for (const id of ['held', 'free']) await insertAccount(store, { id, name: id, createdAt: 0 })
  const [held, free] = [(await findAccount(store, 'held'))!, (await findAccount(store, 'free'))!]

  it('does not use up the connections of other accounts', async () => {
    const limiter = countInStore(store)
    const rules = rateRules.filter(({ name }) => name === 'get')
    await limiter.take(held, rules, () => 5_000)
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>()
    await new Promise<void>((hasBegun) => {
      const holding = other.transaction().execute(async (transaction) => {
        await transaction.updateTable('rateStates').set({ state: '' }).where('accountId', '=', 'held').execute()
        hasBegun()
        await isReleased
      })
      atEnd(() => holding)
    })
    const asked = Promise.all(Array.from({ length: 200 }, () => limiter.take(held, rules, () => 5_000)))
    for (let count = 0; count < 20; count++) {
      expect((await limiter.take(free, rules, () => 5_000)).refusal).toBeUndefined()
    }
    release()
    expect((await asked).filter(({ refusal }) => refusal)).toEqual([])
  })
})

describe('MCP', () => {
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
  const send = (key: string, payload: object) =>
    service.app.inject({
      method: 'POST',
      url: '/mcp',
      headers: { 'x-api-key': key, accept: 'application/json, text/event-stream' },
      payload,
    })

  it('is counted by the rules of POST, each message of a batch', async () => {
    const { key } = await makeAccount(6 / 1080)
    const first = await send(key, ping)
    expect([first.statusCode, first.headers.ratelimit]).toEqual([200, '"post";r=5;t=60'])
    const batch = await send(key, [ping, { ...ping, id: 2 }, { ...ping, id: 3 }])
    expect([batch.statusCode, batch.headers.ratelimit]).toEqual([200, '"post";r=2;t=60'])
    expect((await send(key, [ping, ping, ping])).json()).toMatchObject({ status: 429, code: 'rate_limited' })
    expect((await send(key, ping)).headers['retry-after']).toBe('60')
  })

  it('refuses large batches', async () => {
    const { key } = await makeAccount()
    const large = await send(
      key,
      Array.from({ length: 21 }, (_, id) => ({ ...ping, id })),
    )
    expect(large.json()).toMatchObject({ status: 400, detail: 'A batch can have at most 20 messages.' })
  })
})

describe('counts that an earlier version has stored', () => {
  it('are forgotten', async () => {
    const place = await makePlace('SQLite')
    const earlier: Store = createStore(createSqliteDialect(join(place.folder, 'adcube.db')))
    const provider = { getMigrations: async () => ({ ...migrations }) }
    await new Migrator({ db: earlier, provider }).migrateTo('007-leases')
    await insertAccount(earlier, { id: 'old', name: 'Old', createdAt: 0 })
    await sql`INSERT INTO rate_states VALUES ('old', 7, '{"get":[1,2,3]}')`.execute(earlier)
    await earlier.destroy()

    const store = await openStoreAt(place)
    const rules = rateRules.filter(({ name }) => name === 'get')
    const decision = await countInStore(store).take((await findAccount(store, 'old'))!, rules, () => 4)
    expect(decision).toMatchObject({ refusal: undefined, standings: [{ remaining: 1_079 }] })
  })
})
