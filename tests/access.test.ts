import { beforeAll, describe, expect, it } from 'vitest'
import { auctions } from '../src/catalog/auctions.ts'
import { cubes } from '../src/catalog/cubes.ts'
import { loadTestFacts } from './setup/facts.ts'
import { openService } from './setup/service.ts'

const service = await openService()
const query = { start: '2026-11-14', end: '2026-11-14', dimensions: ['Country'], metrics: ['Auctions'] }

describe('a request without a valid key', () => {
  const paths = [
    '/v2/data',
    '/v2/data/metadata',
    '/v2/data/synchronous?cube=auctions',
    '/v2',
    '/v2/',
    '/v2/nothing',
    '/%762/data',
    '/v1/data',
    '/v99',
    '/v2//data',
  ]
  const keys = [undefined, '', 'x', `adc_${'0'.repeat(46)}`, "' OR 1=1 --", 'é'.repeat(50), 'a'.repeat(5000)]

  it.each(paths)('is refused at %s', async (url) => {
    let address = 0
    for (const key of keys) {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD'] as const) {
        const { statusCode, body } = await service.app.inject({
          method,
          url,
          // Each from another address, because one address is rate-limited after some refusals.
          remoteAddress: `10.0.0.${address++}`,
          headers: key === undefined ? {} : { 'x-api-key': key },
        })
        expect(statusCode, `${method} ${url}`).toBe(401)
        expect(body).not.toContain('publisher')
      }
    }
  })
})

describe('an account', () => {
  let alice = { id: '', key: '' }
  let bob = { id: '', key: '' }

  beforeAll(async () => {
    alice = await service.createAccount('alice')
    bob = await service.createAccount('bob')
    for (const [account, country] of [
      [alice, 'AA'],
      [bob, 'BB'],
    ] as const) {
      await loadTestFacts(service, auctions, account.id, [
        {
          day: '2026-11-14',
          dimensions: { Country: country, Publisher: account.id },
          measures: { auctions: 1n },
          devices: [],
        },
      ])
    }
  })

  it('never sees rows of another account, whatever the filter', async () => {
    const own = [{ Country: 'AA', Auctions: 1 }]
    const attempts = [
      { filters: [], rows: own },
      { filters: [{ field: 'Publisher', operator: 'like', value: '%' }], rows: own },
      { filters: [{ field: 'Country', operator: 'not in', values: ['x'] }], rows: own },
      { filters: [{ field: 'Publisher', operator: '=', value: bob.id }], rows: [] },
      { filters: [{ field: 'Country', operator: 'in', values: ['BB', `AA' OR account = '${bob.id}`] }], rows: [] },
    ]
    for (const { filters, rows } of attempts) {
      const { status, body } = await service.ask(alice.key, 'auctions', { ...query, filters })
      expect(status).toBe(200)
      expect(body.data).toEqual(rows)
    }
  })

  it('gets 403 for a forbidden cube, and does not see it listed', async () => {
    await service.store
      .updateTable('accounts')
      .set({ cubes: 'publisher_auctions_cube' })
      .where('id', '=', bob.id)
      .execute()
    const answer = await service.ask(bob.key, 'platform-performance', { ...query, metrics: ['Fills'] })
    expect({ status: answer.status, code: answer.body.code }).toEqual({ status: 403, code: 'cube_not_allowed' })
    expect((await service.get(bob.key, '/v2/data')).body.map((each: any) => each.cube)).toEqual([
      'publisher_auctions_cube',
    ])
    expect((await service.get(bob.key, '/v2/data/metadata')).body.cubes.map((each: any) => each.alias)).toEqual([
      'auctions',
    ])
  })
})

describe('health checks', () => {
  it('need no key, and answer only GET', async () => {
    const bodies = { '/healthz': { status: 'ok' }, '/readyz': { status: 'ready', warnings: [] } }
    for (const [url, body] of Object.entries(bodies)) {
      const answer = await service.app.inject(url)
      expect({ code: answer.statusCode, body: answer.json() }).toEqual({ code: 200, body })
      const refused = await service.app.inject({ method: 'POST', url })
      expect({ code: refused.statusCode, allow: refused.headers.allow }).toEqual({ code: 405, allow: 'GET, HEAD' })
    }
  })
})

describe('metadata', () => {
  it('describe every field and both limits', async () => {
    const { key } = await service.createAccount('metadata')
    const { body } = await service.get(key, '/v2/data/metadata')
    const namesOf = (fields: readonly { readonly name: string }[]) => fields.map(({ name }) => name)
    expect(body.cubes.map((cube: any) => [cube.cube, namesOf(cube.dimensions), namesOf(cube.metrics)])).toEqual(
      cubes.map(({ name, dimensions, metrics }) => [name, namesOf(dimensions), namesOf(metrics)]),
    )
    expect(body.cubes[0].metrics.find((metric: any) => metric.name === 'eCPM')).toMatchObject({
      type: 'number',
      unit: 'currency',
      formula: '1000 * sum(net_revenue) / sum(cleared)',
    })
    expect(body.limits.synchronous).toMatchObject({ days_max: 14, dimensions_max: 2, metrics_max: 5, rows_max: 1000 })
  })
})
