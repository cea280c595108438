import { request } from 'node:http'
import { pino } from 'pino'
import { describe, expect, inject, it, vi } from 'vitest'
import { auctions } from '../src/catalog/auctions.ts'
import { openEngine } from '../src/engine/engine.ts'
import { EngineError } from '../src/engine/errors.ts'
import { migrateEngine } from '../src/engine/migrate.ts'
import { readRows } from '../src/engine/read-rows.ts'
import { schemaSteps } from '../src/engine/schema.ts'
import { noLimits } from '../src/access/rate-limiter.ts'
import { buildApp } from '../src/http/app.ts'
import { openReports } from './setup/reports.ts'
import { openEngineProxy } from './setup/engine-proxy.ts'
import { loadTestFacts } from './setup/facts.ts'
import { now, openService } from './setup/service.ts'

const service = await openService()
const log = pino({ level: 'silent' })
const limits = { secondsMax: 100, threadsMax: 1, memoryBytesMax: 2 ** 31 }
const endless = { sql: 'SELECT sum(sipHash64(number)) AS x FROM numbers(1000000000000000)', params: {} }
const read = (sql: string, signal = new AbortController().signal) =>
  readRows(service.engine, { sql, params: {} }, { queryId: crypto.randomUUID(), rowsMax: 10, limits, signal })

describe('the user that API queries run as', () => {
  it.each([
    'DROP TABLE auctions_facts',
    "INSERT INTO schema_steps (step, name) VALUES (9, 'x')",
    'SELECT * FROM system.processes',
    'SELECT * FROM system.users',
    "SELECT * FROM file('/etc/passwd', 'LineAsString')",
    "SELECT * FROM url('http://127.0.0.1:1/', 'LineAsString')",
    "SELECT * FROM remote('127.0.0.1:9000', system.one)",
    "KILL QUERY WHERE query_id = 'x'",
    'SYSTEM SHUTDOWN',
    'SET readonly = 0',
  ])('may not %s', async (sql) => {
    const client = service.engine.reader()
    await expect(client.command({ query: sql, clickhouse_settings: {} })).rejects.toMatchObject({
      type: expect.stringMatching(/ACCESS_DENIED|READONLY/),
    })
  })

  it('may read our tables', async () => {
    expect(await read('SELECT 1 AS one FROM schema_steps LIMIT 1')).toEqual(['{"one":1}'])
  })
})

describe('a query', () => {
  it('that runs out of its time ends with that reason', async () => {
    const options = {
      queryId: crypto.randomUUID(),
      rowsMax: 1,
      limits: { ...limits, secondsMax: 1 },
      signal: new AbortController().signal,
    }
    await expect(readRows(service.engine, endless, options)).rejects.toMatchObject({ trouble: 'timeout' })
  })

  it('that needs more memory than it may is refused as too busy', async () => {
    const hungry = 'SELECT length(groupArray(number)) AS x FROM numbers(1000000000000000)'
    const options = {
      queryId: crypto.randomUUID(),
      rowsMax: 1,
      limits: { ...limits, memoryBytesMax: 50_000_000 },
      signal: new AbortController().signal,
    }
    await expect(readRows(service.engine, { sql: hungry, params: {} }, options)).rejects.toMatchObject({
      trouble: 'busy',
    })
  })

  it('whose caller is gone is stopped in the engine', async () => {
    const queryId = crypto.randomUUID()
    const isRunning = async () => {
      const result = await service.engine.writer().query({
        query: 'SELECT count() AS n FROM system.processes WHERE query_id = {queryId:String}',
        query_params: { queryId },
        format: 'JSONEachRow',
      })
      const [row] = await result.json<{ n: string }>()
      return Number(row?.n) > 0
    }
    const controller = new AbortController()
    const asked = readRows(service.engine, endless, { queryId, rowsMax: 1, limits, signal: controller.signal })
    const refused = expect(asked).rejects.toMatchObject({ trouble: 'cancelled' })
    await vi.waitFor(async () => expect(await isRunning()).toBe(true), { timeout: 60_000, interval: 50 })
    controller.abort()
    await refused
    await vi.waitFor(async () => expect(await isRunning()).toBe(false), { timeout: 60_000, interval: 50 })
  })
})

describe('a distinct count', () => {
  it('of many devices, spread over facts and days, is within three standard errors of the truth', async () => {
    const account = await service.createAccount('devices')
    const count = 30_000
    const facts = Array.from({ length: 30 }, (_, index) => ({
      day: index % 2 === 0 ? '2026-11-13' : '2026-11-14',
      dimensions: {},
      measures: {},
      // Every device comes twice, in two facts of different days.
      devices: Array.from({ length: 2_000 }, (__, offset) => `device-${(index * 1_000 + offset) % count}`),
    }))
    await loadTestFacts(service, auctions, account.id, facts)
    const query = { start: '2026-11-13', end: '2026-11-14', dimensions: [], metrics: ['Uniques'] }
    const { body } = await service.ask(account.key, 'auctions', query)
    expect(Math.abs(body.data[0].Uniques - count)).toBeLessThan(3 * 0.0081 * count)
  })
})

describe('the schema', () => {
  it('can be brought up to date twice, and every statement of it run twice', async () => {
    await migrateEngine(service.engine, log)
    expect(await read('SELECT count() AS steps FROM schema_steps')).toEqual([`{"steps":${schemaSteps.length}}`])
    for (const { statements } of schemaSteps) {
      for (const query of statements) await service.engine.writer().command({ query })
    }
  })
})

describe('a ClickHouse server by its address', () => {
  it('is used in place of a private one, given up when the caller hangs up, and not waited for for ever', async () => {
    const endpoint = inject('endpoint')
    const { writer, reader } = endpoint.users
    const proxy = await openEngineProxy(endpoint)
    const engine = await openEngine({
      folder: '/nowhere',
      node: '/nowhere',
      url: proxy.address(writer.name, writer.password),
      readerUrl: proxy.address(reader.name, reader.password),
      log,
    })
    expect(engine.pid).toBeUndefined()
    await migrateEngine(engine, log)
    const { reports } = await openReports({ engine, store: service.store, now: () => now })
    const app = buildApp({
      engine,
      store: service.store,
      log,
      now: () => now,
      readLimits: limits,
      rateLimiter: noLimits,
      ...reports,
    })
    const address = await app.listen({ host: '127.0.0.1', port: 0 })
    const { key } = await service.createAccount('by-address')
    const query = { start: '2026-11-14', end: '2026-11-14', dimensions: [], metrics: ['Auctions'] }
    const post = () => {
      const sent = request(`${address}/v2/data/synchronous?cube=auctions`, {
        method: 'POST',
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
      })
      sent.end(JSON.stringify(query))
      return sent
    }

    const answered = await new Promise<number | undefined>((resolve, reject) => {
      post()
        .on('response', (response) => resolve(response.resume().statusCode))
        .on('error', reject)
    })
    expect(answered).toBe(200)

    proxy.hold = true
    const waiting = post().on('error', () => {})
    await vi.waitFor(() => expect(proxy.held).toHaveLength(1), { timeout: 10_000 })
    waiting.destroy()
    await vi.waitFor(() => expect(proxy.held[0]?.outgoing.destroyed).toBe(true), { timeout: 10_000 })
    await app.close()

    const impatient = buildApp({
      engine,
      store: service.store,
      log,
      now: () => now,
      readLimits: { ...limits, secondsMax: 1 },
      rateLimiter: noLimits,
      ...reports,
    })
    const late = await impatient.inject({
      method: 'POST',
      url: '/v2/data/synchronous?cube=auctions',
      headers: { 'x-api-key': key },
      payload: query,
    })
    expect({ status: late.statusCode, code: late.json().code }).toEqual({ status: 504, code: 'query_timeout' })
    const probe = await impatient.inject('/readyz')
    expect({ status: probe.statusCode, retryAfter: probe.headers['retry-after'] }).toEqual({
      status: 503,
      retryAfter: '1',
    })
    await impatient.close()
    await engine.close()
  })

  it('that does not answer is an error that says so', async () => {
    const opening = openEngine({
      folder: '/nowhere',
      node: '/nowhere',
      url: 'http://127.0.0.1:1/',
      readerUrl: undefined,
      log,
    })
    await expect(opening).rejects.toBeInstanceOf(EngineError)
  })
})
