import { beforeAll, describe, expect, it } from 'vitest'
import { auctions } from '../../src/catalog/auctions.ts'
import { platformPerformance } from '../../src/catalog/platform-performance.ts'
import type { QueryAnswer } from '../../src/contract/answers.ts'
import type { ValuesAnswer } from '../../src/contract/console.ts'
import type { Fact } from '../setup/fact-files.ts'
import { loadTestFacts, makeFacts } from '../setup/facts.ts'
import { openService } from '../setup/service.ts'

const service = await openService()
const range = { start: '2026-11-01', end: '2026-11-14' }

async function click<Answer>(cookie: string, method: 'GET' | 'POST', path: string, payload?: object): Promise<Answer> {
  const response = await service.app.inject({
    method,
    url: `/console/api${path}`,
    headers: { cookie },
    ...(payload && { payload }),
  })
  expect(response.statusCode, response.body).toBe(200)
  return response.json()
}

const fact = (day: string, dimensions: Record<string, string>, count: bigint): Fact => ({
  day,
  dimensions,
  measures: { auctions: count, ad_requests: count },
  devices: [],
})

describe('queries of the console', () => {
  let account = { id: '', key: '' }
  let cookie = ''

  beforeAll(async () => {
    account = await service.createAccount('console')
    cookie = await service.signIn(account.id)
    await loadTestFacts(service, auctions, account.id, makeFacts(auctions, { count: 400, days: 28, seed: 7 }))
  })

  it.each([
    { dimensions: ['day', 'Country'], metrics: 'Auctions, Net Revenue, Uniques, CTR, eCPM' },
    { dimensions: [], metrics: ['Auctions', 'Uniques'], filters: [{ field: 'OS', operator: 'like', value: '%u%' }] },
    { dimensions: ['Site'], metrics: ['Clicks'], sort: [{ field: 'Auctions', order: 'Desc' }], limit: 5 },
  ])('have the same answers as those of the API: %j', async (query) => {
    const body = { ...range, ...query }
    const { meta, data } = await click<QueryAnswer>(cookie, 'POST', '/query?cube=auctions', body)
    const answer = (await service.ask(account.key, 'auctions', body)).body
    expect(data).toEqual(answer.data)
    expect(data.length).toBeGreaterThan(0)
    expect({ ...meta, request_id: '' }).toEqual({ ...answer.meta, request_id: '' })
  })

  it('reach the previous period, which the synchronous API does not', async () => {
    const before = { start: '2026-10-18', end: '2026-10-31', dimensions: ['Day'], metrics: ['Auctions'] }
    const { data } = await click<QueryAnswer>(cookie, 'POST', '/query?cube=auctions', before)
    expect(data.length).toBeGreaterThan(7)
    expect((await service.ask(account.key, 'auctions', before)).status).toBe(400)
  })

  it('read only the facts of their own account', async () => {
    const other = await service.signIn((await service.createAccount('console-other')).id)
    const body = { ...range, dimensions: ['Country'], metrics: ['Auctions'] }
    const { data, meta } = await click<QueryAnswer>(other, 'POST', '/query?cube=auctions', body)
    expect([data, meta.data_through]).toEqual([[], null])
    const values = await click<ValuesAnswer>(other, 'GET', '/values?cube=auctions&dimension=Country')
    expect(values).toEqual({ data: [], truncated: false })
  })
})

describe('values of a dimension', () => {
  let cookie = ''
  const find = (parameters: string, cube = 'auctions') =>
    click<ValuesAnswer>(cookie, 'GET', `/values?cube=${cube}&${parameters}`)

  beforeAll(async () => {
    const { id } = await service.createAccount('console-values')
    cookie = await service.signIn(id)
    const countries = [
      fact('2026-11-14', { Country: 'DE' }, 4n),
      fact('2026-11-14', { Country: 'US' }, 3n),
      fact('2026-11-01', { Country: 'US' }, 3n),
      fact('2026-11-14', { Country: '' }, 2n),
      fact('2026-11-14', { Country: 'deep' }, 1n),
      // Too long ago.
      fact('2026-10-31', { Country: 'FR' }, 100n),
    ]
    const sites = Array.from({ length: 1_002 }, (_, index) =>
      fact('2026-11-13', { Site: `Site-${index}` }, BigInt(2_000 - index)),
    )
    const sizes = Array.from({ length: 101 }, (_, index) =>
      fact('2026-11-12', { 'Ad Size': `${index}x50%` }, BigInt(200 - index)),
    )
    await loadTestFacts(service, auctions, id, [...countries, ...sites, ...sizes])
    await loadTestFacts(service, platformPerformance, id, [
      fact('2026-11-14', { OS: 'iOS' }, 1n),
      fact('2026-11-14', { OS: 'Android' }, 2n),
    ])
  })

  it('are those of the last 14 days, the most frequent first, in both cubes', async () => {
    expect(await find('dimension=country')).toEqual({ data: [null, 'US', 'DE', 'deep'], truncated: false })
    expect(await find('dimension=OS', 'platform-performance')).toEqual({ data: ['Android', 'iOS'], truncated: false })
    expect(await find('dimension=Day')).toMatchObject({ data: { 0: '2026-11-13', length: 4 } })
  })

  it('are searched case-insensitively, and the search text is not a pattern', async () => {
    expect(await find('dimension=Country&search=De')).toEqual({ data: ['DE', 'deep'], truncated: false })
    expect(await find('dimension=Country&search=FR')).toEqual({ data: [], truncated: false })
    expect((await find('dimension=Ad+Size&search=0X50%25')).data).toHaveLength(11)
    expect(await find('dimension=Ad+Size&search=_')).toEqual({ data: [], truncated: false })
    expect(await find('dimension=Country&search=')).toEqual(await find('dimension=Country'))
  })

  it('are marked as truncated if there are more', async () => {
    const sizes = await find('dimension=Ad+Size')
    expect([sizes.data.length, sizes.truncated]).toEqual([100, true])
    const searched = await find('dimension=Ad+Size&search=x50')
    expect([searched.data.length, searched.truncated]).toEqual([100, true])
    expect(await find('dimension=Ad+Size&search=10x50')).toEqual({ data: ['10x50%'], truncated: false })
    // A search among more than a thousand values is incomplete.
    expect(await find('dimension=Site&search=E-77')).toMatchObject({
      data: { 0: 'Site-77', length: 11 },
      truncated: true,
    })
  })
})
