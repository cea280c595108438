import { describe, expect, it } from 'vitest'
import { countInMemory } from '../../src/access/rate-limiter.ts'
import { openControlService } from '../setup/control-service.ts'
import { makePlace, openStoreAt } from '../setup/stores.ts'

const store = await openStoreAt(await makePlace('SQLite'))
const origin = 'https://app.example.com'
const closed = await openControlService(store)
const listed = await openControlService(store, countInMemory(), { allowedOrigins: [origin, 'http://localhost:3000'] })
const open = await openControlService(store, countInMemory(), { allowedOrigins: ['*'] })

const preflight = (path: string, from = origin) => ({
  method: 'OPTIONS' as const,
  url: path,
  headers: { origin: from, 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-api-key' },
})
const corsHeaders = (headers: Record<string, unknown>) =>
  Object.keys(headers).filter((name) => name.startsWith('access-control-'))

describe('a page of another origin', () => {
  it('cannot read answers unless its origin is allowed', async () => {
    const { key } = await closed.makeAccount()
    for (const [service, from] of [
      [closed, origin],
      [listed, 'https://evil.example.com'],
      [listed, 'http://app.example.com'],
      [listed, 'null'],
    ] as const) {
      expect((await service.send(preflight('/v2/data', from))).status).toBe(401)
      const headers = { origin: from, 'x-api-key': key }
      const answer = await service.send({ method: 'GET', url: '/v2/data', headers })
      expect([answer.status, corsHeaders(answer.headers)]).toEqual([200, []])
    }
  })

  it('can read answers and errors if its origin is allowed', async () => {
    const { key } = await listed.makeAccount()
    for (const [service, shown, vary] of [
      [listed, origin, 'origin'],
      [open, '*', undefined],
    ] as const) {
      for (const url of ['/v2/data', '/v2/nothing', '/v3/data', '/reports/job_0/x.csv']) {
        const { headers } = await service.send({ method: 'GET', url, headers: { origin, 'x-api-key': key } })
        expect(headers).toMatchObject({ 'access-control-allow-origin': shown })
        expect(headers['access-control-expose-headers']).toContain('retry-after')
        expect(headers['access-control-allow-credentials']).toBeUndefined()
        expect(headers.vary).toBe(vary)
      }
    }
  })

  it('asks before without a key, as often as it likes', async () => {
    for (let count = 0; count < 100; count++) {
      const { status, headers } = await listed.send(preflight('/v2/data/synchronous?cube=auctions'))
      expect(status).toBe(204)
      expect(headers).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-allow-headers': expect.stringContaining('x-api-key'),
      })
      expect(headers.ratelimit).toBeUndefined()
    }
    expect((await listed.send({ method: 'GET', url: '/v2/data' })).status).toBe(401)
  })

  it('never calls the console or MCP', async () => {
    for (const path of ['/console/api/session', '/console/api/keys', '/mcp', '/openapi.json', '/healthz']) {
      const { status, headers } = await open.send(preflight(path))
      expect(status).toBeGreaterThanOrEqual(400)
      expect(corsHeaders(headers)).toEqual([])
    }
  })
})
