import * as fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { auctions } from '../../src/catalog/auctions.ts'
import { platformPerformance } from '../../src/catalog/platform-performance.ts'
import type { Fact } from '../setup/fact-files.ts'
import { loadTestFacts } from '../setup/facts.ts'
import { answerNaively } from '../setup/naive.ts'
import { openService } from '../setup/service.ts'

const service = await openService()
const range = { start: '2026-11-13', end: '2026-11-14' }

const fact = (day: string, country: string, measures: Record<string, bigint>, devices: string[] = []): Fact => ({
  day,
  dimensions: { Country: country },
  measures,
  devices,
})

describe('a synchronous query', () => {
  let key = ''
  const ask = async (query: object, cube = 'auctions') => (await service.ask(key, cube, { ...range, ...query })).body

  beforeAll(async () => {
    const account = await service.createAccount('queries')
    key = account.key
    await loadTestFacts(service, auctions, account.id, [
      fact('2026-11-13', 'US', { auctions: 10n, cleared: 4n, clicks: 1n, net_revenue: 1_234_567n }, ['a', 'b']),
      fact('2026-11-14', 'US', { auctions: 20n, cleared: 4n, clicks: 1n, net_revenue: 9_007_199_254_740_993n }, [
        'b',
        'c',
      ]),
      fact('2026-11-14', 'DE', { auctions: 5n, net_revenue: 1n }, ['d']),
      fact('2026-11-14', '', { auctions: 9_007_199_254_740_993n }),
    ])
    await loadTestFacts(service, platformPerformance, account.id, [
      fact('2026-11-13', 'US', { ad_requests: 2n, impressions: 1n }, ['a', 'b']),
      fact('2026-11-14', 'US', { ad_requests: 1n }, ['a']),
      fact('2026-11-14', 'DE', { impressions: 1n }, ['z']),
    ])
  })

  it('returns rows as objects, dimensions first, in the order of the query and in the catalog spelling', async () => {
    const body = await ask({
      dimensions: ['country', 'DAY'],
      metrics: ['CTR', 'auctions'],
      filters: [{ field: 'COUNTRY', operator: '=', value: 'US' }],
      sort: [{ field: 'day', order: 'Desc' }],
    })
    expect(body.data).toEqual([
      { Country: 'US', Day: '2026-11-14', CTR: 0.25, Auctions: 20 },
      { Country: 'US', Day: '2026-11-13', CTR: 0.25, Auctions: 10 },
    ])
    expect(Object.keys(body.data[0])).toEqual(['Country', 'Day', 'CTR', 'Auctions'])
  })

  it('accepts both names of the cube, comma-separated field lists and a dataset', async () => {
    const query = { dimensions: 'Country, Day', metrics: 'Auctions,CTR', dataset: 'publisher_auctions_cube' }
    const byAlias = await ask(query)
    const byName = await ask({ ...query, dataset: 'anything' }, 'publisher_auctions_cube')
    expect(byAlias.data).toHaveLength(4)
    expect(byName.data).toEqual(byAlias.data)
  })

  it('returns totals in one row without dimensions, even if nothing matches', async () => {
    const all = await ask({ dimensions: [], metrics: ['Cleared', 'CTR', 'Uniques'] })
    expect(all.data).toEqual([{ Cleared: 8, CTR: 0.25, Uniques: 4 }])
    const nothing = [{ field: 'Country', operator: '=', value: 'XX' }]
    const none = await ask({ dimensions: '', metrics: ['Cleared', 'CTR', 'Uniques'], filters: nothing })
    expect(none.data).toEqual([{ Cleared: 0, CTR: null, Uniques: 0 }])
  })

  it('sorts by a metric that is not selected, nulls last in both directions', async () => {
    const query = { dimensions: ['Country'], metrics: ['Cleared'] }
    const order = async (direction: string) =>
      (await ask({ ...query, sort: [{ field: 'CTR', order: direction }] })).data.map((row: any) => row.Country)
    expect(await order('asc')).toEqual(['US', 'DE', null])
    expect(await order('Desc')).toEqual(['US', 'DE', null])
  })

  it('shows a missing value as null, sorts it last, and finds it with an empty string', async () => {
    const query = { dimensions: ['Country'], metrics: ['Clicks'] }
    expect((await ask(query)).data.map((row: any) => row.Country)).toEqual(['DE', 'US', null])
    const missing = [{ field: 'Country', operator: '=', value: '' }]
    expect((await ask({ ...query, filters: missing })).data).toEqual([{ Country: null, Clicks: 0 }])
  })

  it('keeps every digit of large counts and of money', async () => {
    const response = await service.app.inject({
      method: 'POST',
      url: '/v2/data/synchronous?cube=auctions',
      headers: { 'x-api-key': key },
      payload: { ...range, dimensions: ['Country'], metrics: ['Auctions', 'Net Revenue'] },
    })
    expect(response.body).toContain('"Country":null,"Auctions":9007199254740993')
    expect(response.body).toContain('"Country":"US","Auctions":30,"Net Revenue":9007199255.97556')
  })

  it('says if the limit cut rows off', async () => {
    const query = { dimensions: ['Country'], metrics: ['Clicks'] }
    expect((await ask({ ...query, limit: 2 })).meta).toMatchObject({ rows: 2, limit: 2, truncated: true })
    expect((await ask({ ...query, limit: 3 })).meta).toMatchObject({ rows: 3, limit: 3, truncated: false })
  })

  it('averages daily devices over the loaded days of the range', async () => {
    const daily = async (query: object) =>
      (await ask({ metrics: ['Req DAU', 'Imp DAU'], ...query }, 'platform-performance')).data
    expect(await daily({ dimensions: [] })).toEqual([{ 'Req DAU': 1.5, 'Imp DAU': 1.5 }])
    expect(await daily({ dimensions: ['Country'] })).toEqual([
      { Country: 'DE', 'Req DAU': 0, 'Imp DAU': 0.5 },
      { Country: 'US', 'Req DAU': 1.5, 'Imp DAU': 1 },
    ])
    const oneDay = [{ field: 'Day', operator: '=', value: '2026-11-13' }]
    expect(await daily({ dimensions: [], filters: oneDay })).toEqual([{ 'Req DAU': 2, 'Imp DAU': 2 }])
    // Days before the first load are in the range, but do not count for the mean.
    expect(await daily({ dimensions: [], start: '2026-11-05' })).toEqual([{ 'Req DAU': 1.5, 'Imp DAU': 1.5 }])
  })

  it('treats every filter value as a value', async () => {
    const nasty = [
      "' OR 1=1 --",
      '\\',
      '\\\\',
      '"',
      '\0',
      '😀',
      '\t\n\r',
      '{account:String}',
      '%',
      "'); DROP TABLE auctions_facts; --",
    ]
    const filters = [
      ...nasty.map((value) => ({ field: 'Country', operator: '=', value })),
      { field: 'Country', operator: 'in', values: nasty },
      { field: 'Country', operator: 'not in', values: nasty },
    ]
    const answers = await Promise.all(
      filters.map((filter) =>
        service.ask(key, 'auctions', { ...range, dimensions: ['Country'], metrics: ['Clicks'], filters: [filter] }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(filters.map(() => 200))
    expect(answers.map(({ body }) => body.data.length)).toEqual([...nasty.map(() => 0), 0, 3])
  })

  it('accepts a thousand long filter values', async () => {
    const values = Array.from({ length: 1000 }, (_, index) => `${'ß'.repeat(150)}${index}`)
    const query = {
      dimensions: ['Country'],
      metrics: ['Clicks'],
      filters: [{ field: 'Country', operator: 'in', values: [...values.slice(1), 'DE'] }],
    }
    expect((await ask(query)).data).toEqual([{ Country: 'DE', Clicks: 0 }])
  })

  it('has the loaded range, for both names of a cube', async () => {
    const both = await service.get(key, '/v2/data')
    expect(both.body.slice(0, 2)).toEqual([
      { cube: 'publisher_auctions_cube', ...range },
      { cube: 'publisher_platform_performance_cube', ...range },
    ])
    const one = await service.get(key, '/v2/data?cube=Platform-Performance')
    expect(one.body).toEqual([{ cube: 'publisher_platform_performance_cube', ...range }])
  })

  it('sees a new load replace its days, and only those', async () => {
    const account = await service.createAccount('replace')
    const load = (facts: Fact[]) => loadTestFacts(service, auctions, account.id, facts)
    await load([fact('2026-11-13', 'US', { auctions: 1n }), fact('2026-11-14', 'US', { auctions: 1n })])
    await load([fact('2026-11-14', 'US', { auctions: 5n })])
    const query = { ...range, dimensions: ['Day'], metrics: ['Auctions'] }
    expect((await service.ask(account.key, 'auctions', query)).body.data).toEqual([
      { Day: '2026-11-13', Auctions: 1 },
      { Day: '2026-11-14', Auctions: 5 },
    ])
  })
})

describe('like', () => {
  const seed = Number(process.env.ADCUBE_TEST_SEED ?? Math.trunc(Math.random() * 2 ** 31))
  /** Characters with a meaning in patterns, or whose last byte is the last of a range, among others. */
  const character = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...Array.from('ab%_\\.*+?()[]{}^$|-\n\x7fпяタ¿绿é😀\u{10ffff}\ud7ff')) },
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }).filter((text) => text !== '\0'),
  )
  const text = fc.array(character, { maxLength: 6 }).map((parts) => parts.join(''))
  const values = [...new Set(['', 'п', 'пя', 'aпb', ...fc.sample(text, { numRuns: 60, seed })])]
  const facts = values.map((value, index) => fact('2026-11-14', value, { auctions: BigInt(index + 1) }))
  const long = ['a'.repeat(1_000), 'ab'.repeat(500), 'п'.repeat(500), `${'a_'.repeat(499)}~~`]
  let key = ''

  beforeAll(async () => {
    process.stderr.write(`random patterns: ADCUBE_TEST_SEED=${seed}\n`)
    const account = await service.createAccount('like')
    key = account.key
    const ofLong = long.map((value): Fact => ({
      ...fact('2026-11-13', '', { auctions: 1n }),
      dimensions: { Site: value },
    }))
    await loadTestFacts(service, auctions, account.id, [...facts, ...ofLong])
  })

  /** A pattern that comes from a value by replacing some characters, so that it often matches. */
  const pattern = fc
    .tuple(fc.constantFrom(...values, '2026-11-14'), fc.array(fc.nat(9), { minLength: 12, maxLength: 12 }))
    .map(([value, choices]) => {
      const quoted = (each: string) => (/[%_\\]/.test(each) ? `\\${each}` : each)
      const parts = Array.from(value, (each, at) => {
        const choice = choices[at % choices.length]!
        return choice < 5 ? quoted(each) : (['_', '%', `\\${each}`, '%_', '']['56789'.indexOf(String(choice))] ?? '')
      })
      return `${choices[10]! > 6 ? '%' : ''}${parts.join('')}${choices[11]! > 4 ? '%' : ''}`
    })

  it('finds the same values as a naive matcher, for every shape of pattern', async () => {
    const range = { start: '2026-11-14', end: '2026-11-14' }
    await fc.assert(
      fc.asyncProperty(pattern, fc.constantFrom('Country', 'Country', 'Day'), async (value, field) => {
        const filters = [{ field, operator: 'like', value }]
        const query = { ...range, dimensions: ['Country'], metrics: ['Auctions'], filters, sort: [], limit: 1_000 }
        const { status, body } = await service.ask(key, 'auctions', query)
        expect(status, JSON.stringify(body)).toBe(200)
        expect(body.data).toEqual(answerNaively(facts, query))
      }),
      { numRuns: 200, seed },
    )
  })

  it.each([
    `${'%_'.repeat(10)}~`,
    `${'%_'.repeat(499)}~`,
    `${'%a'.repeat(499)}~`,
    `%a${'_'.repeat(990)}~`,
    `${'%a_'.repeat(333)}~`,
    `${'_'.repeat(999)}~`,
    `${'\\_%'.repeat(333)}~`,
    `${'%п_'.repeat(300)}~`,
    `${'%\\😀'.repeat(200)}_`,
    '.*'.repeat(450) + '_',
  ])('answers soon for hostile pattern %# and values of 1,000 bytes', async (value) => {
    const filters = [{ field: 'Site', operator: 'like', value }]
    const started = performance.now()
    const { status, body } = await service.ask(key, 'auctions', {
      ...range,
      dimensions: [],
      metrics: ['Auctions'],
      filters,
    })
    expect(status, JSON.stringify(body)).toBe(200)
    // A fraction of a second, even if the machine is busy. With recursion it would be longer than its time limit.
    expect(performance.now() - started).toBeLessThan(5_000)
  })
})
