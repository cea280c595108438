import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { auctions } from '../catalog/auctions.ts'
import { cubes } from '../catalog/cubes.ts'
import { asynchronousLimits, synchronousLimits, type QueryLimits } from '../catalog/limits.ts'
import { platformPerformance } from '../catalog/platform-performance.ts'
import { addDays } from './day.ts'
import type { Fault } from './faults.ts'
import { parseQuery } from './parse.ts'
import type { Query } from './query.ts'

const today = '2026-11-14'
const good = { start: '2026-11-01', end: today, dimensions: ['Country'], metrics: ['Auctions'] }
const country = { field: 'Country', operator: '=', value: 'US' }

/** Parses a good query after a change. As in JSON, undefined members are absent. */
function parse(change: object, limits: QueryLimits = synchronousLimits, at = today) {
  const body: unknown = JSON.parse(JSON.stringify({ ...good, ...change }))
  return parseQuery(body, { cube: auctions, limits, today: at })
}

function faultsOf(...given: Parameters<typeof parse>): readonly Fault[] {
  const parsed = parse(...given)
  return 'faults' in parsed ? parsed.faults : []
}

function queryOf(...given: Parameters<typeof parse>): Query {
  const parsed = parse(...given)
  if ('faults' in parsed) throw new Error(`Refused: ${JSON.stringify(parsed.faults)}`)
  return parsed.query
}

const namesOf = (fields: readonly { readonly name: string }[]): string[] => fields.map(({ name }) => name)
const report = ' A report (POST /v2/data/asynchronous)'
const pointersOf = (faults: readonly Fault[]): string[] => faults.map(({ pointer }) => pointer)
const fault = (pointer: string, detail: string): Fault => ({ pointer, detail })
const asynchronously = (change: object, at = today) => faultsOf(change, asynchronousLimits, at)

describe('a value of the wrong type is refused where it stands:', () => {
  const kinds = { null: null, 'a number': 5, 'a boolean': true, 'an array': [], 'an object': {}, 'a string': 'text' }
  const places: [string, (value: unknown) => object, (keyof typeof kinds)[]][] = [
    ['#/start', (start) => ({ start }), ['null', 'a number', 'a boolean', 'an array', 'an object']],
    ['#/end', (end) => ({ end }), ['null', 'a number', 'a boolean', 'an array', 'an object']],
    ['#/dimensions', (dimensions) => ({ dimensions }), ['null', 'a number', 'a boolean', 'an object']],
    ['#/dimensions/0', (name) => ({ dimensions: [name] }), ['null', 'a number', 'a boolean', 'an array', 'an object']],
    ['#/metrics', (metrics) => ({ metrics }), ['null', 'a number', 'a boolean', 'an object']],
    ['#/metrics/1', (name) => ({ metrics: ['CTR', name] }), ['null', 'a number', 'a boolean', 'an array', 'an object']],
    ['#/filters', (filters) => ({ filters }), ['null', 'a number', 'a boolean', 'an object', 'a string']],
    ['#/filters/0', (filter) => ({ filters: [filter] }), ['null', 'a number', 'a boolean', 'an array', 'a string']],
    ['#/filters/0/field', (field) => ({ filters: [{ ...country, field }] }), ['null', 'a number', 'an array']],
    ['#/filters/0/operator', (operator) => ({ filters: [{ ...country, operator }] }), ['null', 'a number', 'an array']],
    ['#/filters/0/value', (value) => ({ filters: [{ ...country, value }] }), ['null', 'a number', 'an array']],
    [
      '#/filters/0/values',
      (values) => ({ filters: [{ field: 'OS', operator: 'in', values }] }),
      ['null', 'a number', 'an object', 'a string'],
    ],
    [
      '#/filters/0/values/1',
      (value) => ({ filters: [{ field: 'OS', operator: 'not in', values: ['iOS', value] }] }),
      ['null', 'a number', 'a boolean', 'an array', 'an object'],
    ],
    ['#/sort', (sort) => ({ sort }), ['null', 'a number', 'a boolean', 'an object', 'a string']],
    ['#/sort/0', (entry) => ({ sort: [entry] }), ['null', 'a number', 'a boolean', 'an array', 'a string']],
    ['#/sort/0/field', (field) => ({ sort: [{ field }] }), ['null', 'a number', 'an array', 'an object']],
    ['#/sort/0/order', (order) => ({ sort: [{ field: 'CTR', order }] }), ['null', 'a number', 'an array', 'an object']],
    ['#/limit', (limit) => ({ limit }), ['null', 'a boolean', 'an array', 'an object', 'a string']],
    ['#/dataset', (dataset) => ({ dataset }), ['null', 'a number', 'a boolean', 'an array', 'an object']],
  ]

  it.each(places)('%s', (pointer, change, wrong) => {
    for (const kind of wrong) {
      const detail = expect.stringMatching(new RegExp(`^Must be .*, not ${kind}\\.$`))
      expect(faultsOf(change(kinds[kind])), kind).toEqual([{ pointer, detail }])
    }
  })

  it.each([[null], [[]], [[good]], ['text'], [5], [true], [undefined]])('# (the body is %j)', (body) => {
    const parsed = parseQuery(body, { cube: auctions, limits: synchronousLimits, today })
    expect(parsed).toEqual({ faults: [fault('#', expect.stringContaining('must be a JSON object'))] })
  })
})

describe('a member of the body', () => {
  it.each(['start', 'end', 'dimensions', 'metrics'])('%s is required', (name) => {
    expect(faultsOf({ [name]: undefined })).toEqual([fault(`#/${name}`, expect.stringMatching(/^Required: /))])
  })

  it('that is unknown is refused, with the nearest name that is known', () => {
    expect(faultsOf({ metric: ['CTR'] })).toEqual([fault('#/metric', 'Unknown field. Did you mean "metrics"?')])
    expect(faultsOf({ Start: '2026-11-01' })).toEqual([fault('#/Start', 'Unknown field. Did you mean "start"?')])
    expect(faultsOf({ granularity: 'hour' })).toEqual([fault('#/granularity', 'Unknown field.')])
    expect(faultsOf({ filters: [{ ...country, negate: true }] })).toEqual([
      fault('#/filters/0/negate', 'Unknown field.'),
    ])
    expect(faultsOf({ sort: [{ field: 'CTR', direction: 'asc' }] })).toEqual([
      fault('#/sort/0/direction', 'Unknown field.'),
    ])
  })

  it('is pointed to by a JSON pointer in a URI fragment, whatever its name', () => {
    expect(pointersOf(faultsOf({ 'a/b~c d%': 1, ü: 2, '': 3 }))).toEqual(['#/a~1b~0c%20d%25', '#/%C3%BC', '#/'])
    const body: unknown = JSON.parse(`{"__proto__": 1, "\\ud800": 2, ${JSON.stringify(good).slice(1)}`)
    expect(parseQuery(body, { cube: auctions, limits: synchronousLimits, today })).toMatchObject({
      faults: [{ pointer: '#/__proto__' }, { pointer: '#/%EF%BF%BD' }],
    })
  })

  it('does not make the answer long by being long', () => {
    const long = 'x'.repeat(100_000)
    const change = { [long]: 1, start: long, dimensions: [long], sort: [{ field: long, order: long }], dataset: long }
    const faults = faultsOf({ ...change, filters: [{ field: long, operator: long }] })
    expect(JSON.stringify(faults).length).toBeLessThan(2_000)
  })
})

describe('a field name', () => {
  it('that the cube does not have is refused, with the nearest one', () => {
    expect(faultsOf({ dimensions: ['Day', 'Contry'] })).toEqual([
      fault('#/dimensions/1', '"Contry" is not a dimension of this cube. Did you mean "Country"?'),
    ])
    expect(faultsOf({ metrics: ['Click'] })).toEqual([
      fault('#/metrics/0', '"Click" is not a metric of this cube. Did you mean "Clicks"?'),
    ])
    expect(faultsOf({ metrics: ['Conversions by channel'] })).toEqual([
      fault('#/metrics/0', '"Conversions by channel" is not a metric of this cube.'),
    ])
    expect(faultsOf({ filters: [{ ...country, field: 'countri' }] })).toEqual([
      fault('#/filters/0/field', '"countri" is not a dimension of this cube. Did you mean "Country"?'),
    ])
    expect(faultsOf({ sort: [{ field: 'E-CPM' }] })).toEqual([
      fault('#/sort/0/field', '"E-CPM" is not a field of this cube. Did you mean "eCPM"?'),
    ])
  })

  it.each([
    [auctions, 'metrics', 'Revenue', 'Did you mean "Net Revenue"?'],
    [auctions, 'metrics', ' impressions', 'Did you mean "Cleared"?'],
    [auctions, 'metrics', 'Impresions', 'Did you mean "Cleared"?'],
    [auctions, 'metrics', 'Requests', 'Did you mean "Auctions"?'],
    [auctions, 'metrics', 'unique_users', 'Did you mean "Uniques"?'],
    [auctions, 'metrics', 'net_revenue', 'Did you mean "Net Revenue"?'],
    [auctions, 'dimensions', 'Date', 'Did you mean "Day"?'],
    [auctions, 'dimensions', 'date', 'Did you mean "Day"?'],
    [auctions, 'dimensions', 'Revenue', 'Did you mean the metric "Net Revenue"?'],
    [auctions, 'dimensions', 'Clicks', 'It is a metric.'],
    [auctions, 'metrics', 'Country', 'It is a dimension.'],
    [auctions, 'metrics', 'Adserver eCPM', 'It is a field of the cube platform-performance.'],
    [auctions, 'dimensions', 'account_key', 'It is a field of the cube platform-performance.'],
    [platformPerformance, 'metrics', 'Revenue', 'Did you mean "Adserver Revenue"?'],
    [platformPerformance, 'metrics', 'Impressions', 'Did you mean "Adserver Impressions"?'],
    [platformPerformance, 'metrics', 'Requests', 'Did you mean "Ad Requests"?'],
    [platformPerformance, 'metrics', 'eCPM', 'It is a field of the cube auctions. Did you mean "Adserver eCPM"?'],
    [platformPerformance, 'metrics', 'Win Rate', 'It is a field of the cube auctions.'],
    [platformPerformance, 'dimensions', 'Date', 'Did you mean "Day"?'],
  ] as const)('is suggested by its meaning (%#)', (cube, member, name, hint) => {
    const body = { start: today, end: today, dimensions: [], metrics: [cube.metrics[0].name], [member]: [name] }
    const parsed = parseQuery(body, { cube, limits: synchronousLimits, today })
    const kind = member.slice(0, -1)
    const detail = `${JSON.stringify(name)} is not a ${kind} of this cube. ${hint}`
    expect(parsed).toEqual({ faults: [fault(`#/${member}/0`, detail)] })
  })

  it('of a filter or of a sort entry is suggested in the same way', () => {
    expect(faultsOf({ filters: [{ ...country, field: 'Date' }], sort: [{ field: 'Revenue' }] })).toEqual([
      fault('#/filters/0/field', '"Date" is not a dimension of this cube. Did you mean "Day"?'),
      fault('#/sort/0/field', '"Revenue" is not a field of this cube. Did you mean "Net Revenue"?'),
    ])
  })

  it('of another cube, of the other kind, or empty is refused', () => {
    expect(pointersOf(faultsOf({ dimensions: ['Account Key'] }))).toEqual(['#/dimensions/0'])
    expect(pointersOf(faultsOf({ dimensions: ['Auctions'] }))).toEqual(['#/dimensions/0'])
    expect(pointersOf(faultsOf({ metrics: ['Country'] }))).toEqual(['#/metrics/0'])
    expect(pointersOf(faultsOf({ metrics: [''] }))).toEqual(['#/metrics/0'])
    expect(pointersOf(faultsOf({ dimensions: ['Country,'] }))).toEqual(['#/dimensions/0'])
    expect(pointersOf(faultsOf({ dimensions: 'Country,' }))).toEqual(['#/dimensions'])
  })

  it('given twice is refused, also in another case', () => {
    expect(faultsOf({ dimensions: ['Country', 'Country'] })).toEqual([
      fault('#/dimensions/1', '"Country" appears twice.'),
    ])
    expect(faultsOf({ metrics: ['CTR', 'Clicks', 'ctr'] })).toEqual([fault('#/metrics/2', '"CTR" appears twice.')])
    expect(faultsOf({ dimensions: 'OS, os' })).toEqual([fault('#/dimensions', '"OS" appears twice.')])
    const sort = [{ field: 'CTR' }, { field: 'country' }, { field: 'ctr', order: 'desc' }]
    expect(faultsOf({ sort })).toEqual([fault('#/sort/2/field', '"CTR" appears twice.')])
  })
})

describe('too many are refused:', () => {
  const dimensions = auctions.dimensions.map(({ name }) => name)
  const metrics = auctions.metrics.map(({ name }) => name)
  const sort = (count: number) => metrics.slice(0, count).map((field) => ({ field }))

  it('3 dimensions synchronously, 11 asynchronously', () => {
    expect(queryOf({ dimensions: dimensions.slice(0, 2) }).dimensions).toHaveLength(2)
    expect(faultsOf({ dimensions: dimensions.slice(0, 3) })).toEqual([
      fault('#/dimensions', `Too many dimensions: 3. A query can have at most 2.${report} can have 10 dimensions.`),
    ])
    expect(faultsOf({ dimensions: dimensions.slice(0, 11) })).toEqual([
      fault('#/dimensions', 'Too many dimensions: 11. A query can have at most 2.'),
    ])
    expect(queryOf({ dimensions: dimensions.slice(0, 10) }, asynchronousLimits).dimensions).toHaveLength(10)
    expect(asynchronously({ dimensions: dimensions.slice(0, 11) })).toEqual([
      fault('#/dimensions', 'Too many dimensions: 11. A query can have at most 10.'),
    ])
  })

  it('6 metrics synchronously, 11 asynchronously, and none at all', () => {
    expect(queryOf({ metrics: metrics.slice(0, 5) }).metrics).toHaveLength(5)
    expect(faultsOf({ metrics: metrics.slice(0, 6) })).toEqual([
      fault('#/metrics', `Too many metrics: 6. A query can have at most 5.${report} can have 10 metrics.`),
    ])
    expect(queryOf({ metrics: metrics.slice(0, 10) }, asynchronousLimits).metrics).toHaveLength(10)
    expect(pointersOf(asynchronously({ metrics: metrics.slice(0, 11).join(',') }))).toEqual(['#/metrics'])
    expect(faultsOf({ metrics: [] })).toEqual([fault('#/metrics', 'At least one metric is required.')])
    expect(pointersOf(faultsOf({ metrics: ' ' }))).toEqual(['#/metrics'])
  })

  it.each([synchronousLimits, asynchronousLimits])('6 filters and 6 sort entries ($endpoint)', (limits) => {
    const filters = Array.from({ length: 6 }, () => country)
    const query = queryOf({ filters: filters.slice(1), sort: sort(5) }, limits)
    expect([query.filters.length, query.sorts.length]).toEqual([5, 5])
    expect(faultsOf({ filters, sort: sort(6) }, limits)).toEqual([
      fault('#/filters', 'Too many filters: 6. A query can have at most 5.'),
      fault('#/sort', 'Too many sort entries: 6. A query can have at most 5.'),
    ])
  })

  it('1,001 values of a filter', () => {
    const filters = (count: number) => [{ field: 'OS', operator: 'in', values: Array.from({ length: count }, String) }]
    expect(queryOf({ filters: filters(1_000) }).filters[0]?.values).toHaveLength(1_000)
    expect(pointersOf(faultsOf({ filters: filters(1_001) }))).toEqual(['#/filters/0/values'])
  })
})

describe('the limit', () => {
  it('is 1,000 when omitted, on both endpoints', () => {
    expect(queryOf({}).limit).toBe(1_000)
    expect(queryOf({}, asynchronousLimits).limit).toBe(1_000)
  })

  it('goes from 1 to the row limit of the endpoint', () => {
    expect([1, 1_000].map((limit) => queryOf({ limit }).limit)).toEqual([1, 1_000])
    expect([1, 10_000_000].map((limit) => queryOf({ limit }, asynchronousLimits).limit)).toEqual([1, 10_000_000])
  })

  it.each([0, -1, 1_001, 1.5, '5', 1e300])('is refused when it is %j', (limit) => {
    expect(faultsOf({ limit })).toEqual([
      fault('#/limit', expect.stringMatching(/^Must be a whole number from 1 to 1,000, /)),
    ])
  })

  it('that only a report can have points to reports', () => {
    const detail = 'Must be a whole number from 1 to 1,000, not'
    const hint = `${report} can have 10,000,000 rows.`
    expect(faultsOf({ limit: 1_001 })).toEqual([fault('#/limit', `${detail} 1001.${hint}`)])
    expect(faultsOf({ limit: 10_000_000 })).toEqual([fault('#/limit', `${detail} 10000000.${hint}`)])
    expect(faultsOf({ limit: 10_000_001 })).toEqual([fault('#/limit', `${detail} 10000001.`)])
    expect(faultsOf({ limit: 1.5 })).toEqual([fault('#/limit', `${detail} 1.5.`)])
  })

  it.each([0, 10_000_001, 0.1])('is refused asynchronously when it is %j', (limit) => {
    expect(asynchronously({ limit })).toEqual([
      fault('#/limit', expect.stringMatching(/^Must be a whole number from 1 to 10,000,000, /)),
    ])
  })
})

describe('the dates', () => {
  it.each(['2026-02-30', '2026-13-01', '2026-2-3', '', ' 2026-11-01', '2026-11-01T00:00:00Z', 'yesterday'])(
    'are refused when %j is one of them',
    (text) => {
      const detail = `${JSON.stringify(text)} is not a date in the form yyyy-MM-DD.`
      expect(faultsOf({ start: text })).toEqual([fault('#/start', detail)])
      expect(faultsOf({ end: text })).toEqual([fault('#/end', detail)])
    },
  )

  it('may be one day, and that day today', () => {
    expect(queryOf({ start: today, end: today })).toMatchObject({ start: today, end: today })
  })

  it('are refused when reversed or in the future', () => {
    expect(faultsOf({ start: '2026-11-10', end: '2026-11-09' })).toEqual([
      fault('#/end', expect.stringContaining('reversed')),
    ])
    expect(faultsOf({ start: '2026-11-10', end: '2026-11-15' })).toEqual([
      fault('#/end', 'In the future: today is 2026-11-14 (UTC).'),
    ])
    expect(pointersOf(faultsOf({ start: '2026-11-15', end: '2026-11-15' }))).toEqual(['#/start', '#/end'])
    expect(pointersOf(asynchronously({ start: '2026-11-01', end: '2026-11-15' }))).toEqual(['#/end'])
  })

  it('reach back 14 days synchronously', () => {
    expect(queryOf({ start: '2026-10-31', end: '2026-11-13' }).start).toBe('2026-10-31')
    const detail = 'Too old: synchronous queries reach back to 2026-10-31, 14 days before today.'
    const pointed = fault('#/start', `${detail}${report} reaches back 13 months.`)
    expect(faultsOf({ start: '2026-10-30', end: '2026-11-01' })).toEqual([pointed])
    expect(faultsOf({ start: '2025-10-14', end: '2025-10-14' })).toEqual([pointed])
    expect(faultsOf({ start: '2025-10-13', end: '2025-10-14' })).toEqual([fault('#/start', detail)])
  })

  it('span 14 days at most synchronously', () => {
    expect(queryOf({ start: '2026-11-01', end: '2026-11-14' }).end).toBe('2026-11-14')
    const detail = 'Too many days: the range has 15, synchronous queries take at most 14.'
    expect(faultsOf({ start: '2026-10-31', end: '2026-11-14' })).toEqual([
      fault('#/end', `${detail}${report} can have 31 days.`),
    ])
  })

  it.each([
    [today, '2025-10-14', '2025-10-13'],
    ['2026-03-31', '2025-02-28', '2025-02-27'],
    ['2025-03-31', '2024-02-29', '2024-02-28'],
    ['2026-01-15', '2024-12-15', '2024-12-14'],
  ])('reach back 13 calendar months asynchronously: on %s to %s, not to %s', (at, oldest, tooOld) => {
    expect(queryOf({ start: oldest, end: oldest }, asynchronousLimits, at).start).toBe(oldest)
    expect(asynchronously({ start: tooOld, end: oldest }, at)).toEqual([
      fault('#/start', `Too old: asynchronous queries reach back to ${oldest}, 13 months before today.`),
    ])
  })

  it('span 31 days at most asynchronously', () => {
    expect(queryOf({ start: '2026-10-15', end: today }, asynchronousLimits).start).toBe('2026-10-15')
    expect(asynchronously({ start: '2026-10-14', end: today })).toEqual([
      fault('#/end', 'Too many days: the range has 32, asynchronous queries take at most 31.'),
    ])
  })

  it('can have several faults at once', () => {
    expect(pointersOf(faultsOf({ start: '2020-01-01', end: '2026-11-15' }))).toEqual(['#/start', '#/end', '#/end'])
    expect(pointersOf(faultsOf({ start: '2020-01-01', end: 'x' }))).toEqual(['#/end', '#/start'])
    expect(pointersOf(faultsOf({ start: undefined, end: '2030-01-01' }))).toEqual(['#/start', '#/end'])
  })
})

describe('a filter', () => {
  const filtered = (filter: object) => pointersOf(faultsOf({ filters: [country, filter] }))

  it.each([
    ['=', '='],
    [' = ', '='],
    ['LIKE', 'like'],
    [' Like', 'like'],
    ['In', 'in'],
    ['NOT IN', 'not in'],
    ['Not\t  in', 'not in'],
  ])('has its operator in any case and spacing: %j', (operator, expected) => {
    const operand = expected.endsWith('in') ? { values: ['US', 'DE'] } : { value: 'US' }
    expect(queryOf({ filters: [{ field: 'COUNTRY', operator, ...operand }] }).filters).toEqual([
      {
        dimension: expect.objectContaining({ name: 'Country' }),
        operator: expected,
        values: 'values' in operand ? operand.values : [operand.value],
      },
    ])
  })

  it.each([
    ['!=', 'not in'],
    ['<>', 'not in'],
    [' IS  NOT ', 'not in'],
    ['NOT_IN', 'not in'],
    ['==', '='],
    ['contains', 'like'],
  ])('is suggested by its meaning: for %j %j', (operator, meant) => {
    expect(faultsOf({ filters: [{ ...country, operator }] })).toEqual([
      fault('#/filters/0/operator', expect.stringMatching(new RegExp(`"not in"\\. Did you mean "${meant}"\\?$`))),
    ])
  })

  it.each(['>', '', 'between', 'constructor', '__proto__'])('is not suggested for %j', (operator) => {
    expect(faultsOf({ filters: [{ ...country, operator }] })).toEqual([
      fault('#/filters/0/operator', expect.not.stringContaining('Did you mean')),
    ])
  })

  it.each(['', '!=', '<>', '==', '>', 'notin', 'not  like', 'contains', 'in;'])('has no operator %j', (operator) => {
    expect(faultsOf({ filters: [{ ...country, operator }] })).toEqual([
      fault('#/filters/0/operator', expect.stringContaining('is not one of "=", "like", "in", "not in".')),
    ])
  })

  it('needs not be among the dimensions, may repeat one, and may compare with an empty string', () => {
    const filters = [country, { field: 'Day', operator: 'like', value: '2026-11-%' }, { ...country, value: '' }]
    expect(queryOf({ dimensions: [], filters }).filters.map(({ values }) => values)).toEqual([
      ['US'],
      ['2026-11-%'],
      [''],
    ])
  })

  it('needs a field and an operator', () => {
    expect(filtered({})).toEqual(['#/filters/1/field', '#/filters/1/operator'])
    expect(filtered({ operator: '=', value: 'US' })).toEqual(['#/filters/1/field'])
    expect(filtered({ field: 'OS', value: 'US' })).toEqual(['#/filters/1/operator'])
  })

  it.each(['=', 'like'])('with %s needs a value, and no values', (operator) => {
    expect(filtered({ field: 'OS', operator })).toEqual(['#/filters/1/value'])
    expect(filtered({ field: 'OS', operator, values: ['iOS'] })).toEqual(['#/filters/1/values', '#/filters/1/value'])
    expect(filtered({ field: 'OS', operator, value: 'iOS', values: ['iOS'] })).toEqual(['#/filters/1/values'])
    expect(filtered({ field: 'OS', operator, value: 'iOS', values: null })).toEqual(['#/filters/1/values'])
  })

  it.each(['in', 'not in'])('with %s needs values, at least one, and no value', (operator) => {
    expect(filtered({ field: 'OS', operator })).toEqual(['#/filters/1/values'])
    expect(filtered({ field: 'OS', operator, values: [] })).toEqual(['#/filters/1/values'])
    expect(filtered({ field: 'OS', operator, value: 'iOS' })).toEqual(['#/filters/1/value', '#/filters/1/values'])
    expect(filtered({ field: 'OS', operator, value: 'iOS', values: ['iOS'] })).toEqual(['#/filters/1/value'])
  })

  it('works on dimensions, not on metrics', () => {
    expect(faultsOf({ filters: [{ ...country, field: 'ctr' }] })).toEqual([
      fault('#/filters/0/field', '"ctr" is a metric. Filters work on dimensions only.'),
    ])
  })

  it('takes no value with half of a surrogate pair, but whole ones', () => {
    expect(filtered({ ...country, value: '\ud83d' })).toEqual(['#/filters/1/value'])
    expect(filtered({ field: 'OS', operator: 'in', values: ['ok', 'a\ude00b'] })).toEqual(['#/filters/1/values/1'])
    expect(filtered({ ...country, value: '😀' })).toEqual([])
  })

  it('takes no value of more than 1,000 characters', () => {
    expect(filtered({ ...country, value: 'x'.repeat(1_000) })).toEqual([])
    expect(filtered({ ...country, value: 'x'.repeat(1_001) })).toEqual(['#/filters/1/value'])
    expect(filtered({ field: 'OS', operator: 'in', values: ['x'.repeat(1_001)] })).toEqual(['#/filters/1/values/0'])
  })

  it('takes no pattern that ends in a lone backslash', () => {
    const like = (value: string) => filtered({ field: 'OS', operator: 'like', value })
    expect(['\\', 'a\\', '%\\\\\\'].map(like)).toEqual([1, 2, 3].map(() => ['#/filters/1/value']))
    expect(['\\\\', 'a\\%', '\\\\\\\\', '', 'a\\b'].map(like)).toEqual([1, 2, 3, 4, 5].map(() => []))
    expect(filtered({ ...country, value: 'a\\' })).toEqual([])
  })
})

describe('a sort entry', () => {
  it('has its order in any case, ascending when omitted', () => {
    const orders = ['asc', 'ASC', 'Desc', 'desc', undefined]
    const directions = orders.map((order) => queryOf({ sort: [{ field: 'CTR', order }] }).sorts[0]?.direction)
    expect(directions).toEqual(['asc', 'asc', 'desc', 'desc', 'asc'])
  })

  it.each(['', 'ascending', 'down', '1'])('has no order %j', (order) => {
    expect(faultsOf({ sort: [{ field: 'CTR', order }] })).toEqual([
      fault('#/sort/0/order', `${JSON.stringify(order)} is neither "asc" nor "desc".`),
    ])
  })

  it('may be a selected dimension or any metric', () => {
    const sort = [{ field: 'auctions' }, { field: 'COUNTRY', order: 'Desc' }, { field: 'win rate' }]
    expect(queryOf({ sort }).sorts.map(({ field }) => field.name)).toEqual(['Auctions', 'Country', 'Win Rate'])
  })

  it('may not be a dimension that is not selected', () => {
    expect(faultsOf({ sort: [{ field: 'CTR' }, { field: 'os' }] })).toEqual([
      fault('#/sort/1/field', '"OS" is not among the dimensions of the query, so it cannot be sorted by.'),
    ])
    expect(pointersOf(faultsOf({ dimensions: [], sort: [{ field: 'Day' }] }))).toEqual(['#/sort/0/field'])
  })

  it('needs a field', () => {
    expect(pointersOf(faultsOf({ sort: [{ order: 'asc' }] }))).toEqual(['#/sort/0/field'])
  })
})

describe('a good query', () => {
  it('comes back in the catalog spelling and in the order asked', () => {
    const query = queryOf({ dimensions: ['os', ' COUNTRY '], metrics: ['ECPM', 'auctions won', 'CtR'] })
    expect(namesOf(query.dimensions)).toEqual(['OS', 'Country'])
    expect(namesOf(query.metrics)).toEqual(['eCPM', 'Auctions Won', 'CTR'])
  })

  it('may have its names in one string with commas', () => {
    const query = queryOf({ dimensions: 'Day,country', metrics: ' CTR , Auctions Won,eCPM ' })
    expect(namesOf(query.dimensions)).toEqual(['Day', 'Country'])
    expect(namesOf(query.metrics)).toEqual(['CTR', 'Auctions Won', 'eCPM'])
  })

  it.each([[[]], [''], ['  ']])('may have no dimensions, given as %j', (dimensions) => {
    expect(queryOf({ dimensions }).dimensions).toEqual([])
  })

  it('may have no filters and no sort, omitted or empty', () => {
    expect(queryOf({})).toMatchObject({ filters: [], sorts: [] })
    expect(queryOf({ filters: [], sort: [] })).toMatchObject({ filters: [], sorts: [] })
  })

  it.each(['auctions', 'publisher_auctions_cube', 'AUCTIONS', 'my data', ''])('may have the dataset %j', (dataset) => {
    expect(queryOf({ dataset })).toEqual(queryOf({}))
  })

  it.each(['platform-performance', 'Publisher_Platform_Performance_Cube'])('may not have the dataset %j', (dataset) => {
    const detail = `Names the cube "${dataset}", but the request is for the cube "publisher_auctions_cube".`
    expect(faultsOf({ dataset })).toEqual([fault('#/dataset', detail)])
  })

  it('is checked against the cube that is asked', () => {
    const body = { ...good, dimensions: ['Account Key'], metrics: ['Req DAU', 'Fill Rate (Inv)'] }
    const parsed = parseQuery(body, { cube: platformPerformance, limits: synchronousLimits, today })
    expect(parsed).toMatchObject({ query: { cube: { alias: 'platform-performance' } } })
  })
})

describe('a query with many faults', () => {
  it('has them all reported at once', () => {
    const faults = faultsOf({
      start: '2026-02-30',
      end: '2027-01-01',
      dimensions: ['Contry', 'OS'],
      metrics: ['Clicks', 'clicks', 7],
      filters: [{ field: 'Clicks', operator: '~', extra: 1 }, country, { field: 'OS', operator: 'in', values: [1, 2] }],
      sort: [
        { field: 'nothing', order: 'up' },
        { field: 'Day', order: 'asc' },
      ],
      limit: 0,
      dataset: 'platform-performance',
      page: 2,
    })
    expect(pointersOf(faults).toSorted()).toEqual([
      '#/dataset',
      '#/dimensions/0',
      '#/end',
      '#/filters/0/extra',
      '#/filters/0/field',
      '#/filters/0/operator',
      '#/filters/2/values/0',
      '#/filters/2/values/1',
      '#/limit',
      '#/metrics/1',
      '#/metrics/2',
      '#/page',
      '#/sort/0/field',
      '#/sort/0/order',
      '#/start',
    ])
  })
})

describe('whatever JSON is sent', () => {
  // Strings of any UTF-16 units, so that halves of surrogate pairs are among them.
  const text = fc.string({ unit: fc.integer({ max: 0xffff, min: 0 }).map((unit) => String.fromCharCode(unit)) })
  const json = fc.oneof(fc.jsonValue({ maxDepth: 3 }), text, fc.array(text), fc.dictionary(text, fc.jsonValue()))
  const orAnything = (...values: unknown[]) => fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...values) }, json)
  const day = orAnything(...[0, 1, 13, 14, 15, 400, -1].map((back) => addDays(today, -back)))
  const name = orAnything('Day', 'country', 'OS', 'Auctions', 'CTR', 'Uniques', 'Contry')
  const names = fc.oneof(fc.array(name, { maxLength: 4 }), fc.constantFrom('Country,Day', 'CTR'), json)
  const filter = fc.record(
    {
      field: name,
      operator: orAnything('=', 'LIKE', 'in', 'not  in'),
      value: text,
      values: fc.array(orAnything('US')),
    },
    { requiredKeys: [] },
  )
  const entry = fc.record({ field: name, order: orAnything('asc', 'Desc') }, { requiredKeys: ['field'] })
  const almostGood = fc.record(
    {
      start: day,
      end: day,
      dimensions: names,
      metrics: names,
      filters: fc.oneof(fc.array(fc.oneof(filter, json), { maxLength: 6 }), json),
      sort: fc.oneof(fc.array(fc.oneof(entry, json), { maxLength: 6 }), json),
      limit: orAnything(1, 1_000, 1_001, 0),
      dataset: orAnything('auctions', 'platform-performance'),
    },
    { requiredKeys: [] },
  )
  // Names that both cubes have; with none or few of its members changed, it often stays good.
  const sound = {
    start: '2026-11-10',
    end: today,
    dimensions: ['Country', 'OS'],
    metrics: ['Uniques'],
    filters: [country],
  }
  const changed = fc
    .tuple(
      almostGood,
      fc.subarray(['start', 'end', 'dimensions', 'metrics', 'filters', 'sort', 'limit'], { maxLength: 2 }),
    )
    .map(([change, kept]) => ({
      ...sound,
      ...Object.fromEntries(Object.entries(change).filter(([key]) => kept.includes(key))),
    }))
  const extended = fc.tuple(changed, fc.dictionary(text, json)).map(([query, more]) => ({ ...query, ...more }))
  const body = fc.oneof(json, almostGood, changed, extended)
  const limits = fc.constantFrom(synchronousLimits, asynchronousLimits)
  const cube = fc.constantFrom(auctions, platformPerformance)

  it('the answer is a query within the limits, or faults that point to where they are', () => {
    fc.assert(
      fc.property(body, cube, limits, (sent, cube, limits) => {
        const parsed = parseQuery(sent, { cube, limits, today })
        if ('query' in parsed) expectWithin(parsed.query, limits)
        else expect(parsed.faults).not.toEqual([])
        for (const { pointer, detail } of 'faults' in parsed ? parsed.faults : []) {
          expect(pointer).toMatch(/^#(\/|$)/)
          expect(detail).toMatch(/\S/)
          expect(hasParent(sent, pointer), pointer).toBe(true)
        }
      }),
      { numRuns: 1_000 },
    )
  })

  function expectWithin(query: Query, limits: QueryLimits): void {
    expect(query.start <= query.end && query.end <= today).toBe(true)
    expect(query.dimensions.length).toBeLessThanOrEqual(limits.dimensionsMax)
    expect(query.metrics.length).toBeGreaterThanOrEqual(1)
    expect(query.metrics.length).toBeLessThanOrEqual(limits.metricsMax)
    expect(query.filters.length).toBeLessThanOrEqual(5)
    expect(query.sorts.length).toBeLessThanOrEqual(5)
    expect(query.limit).toBeGreaterThanOrEqual(1)
    expect(query.limit).toBeLessThanOrEqual(limits.rowsMax)
  }

  /** The value at a pointer may be missing, which may be the fault, but its parent exists. */
  function hasParent(sent: unknown, pointer: string): boolean {
    const steps = pointer.split('/').slice(1, -1).map(decodeURIComponent)
    let place = sent
    for (const step of steps) {
      if (typeof place !== 'object' || place === null || !Object.hasOwn(place, step)) return false
      place = (place as Record<string, unknown>)[step]
    }
    return true
  }
})

it.each(cubes)('the example of $alias in the reference is a query of either endpoint', (cube) => {
  const body = { start: '2026-11-08', end: today, ...cube.example.query }
  for (const limits of [synchronousLimits, asynchronousLimits]) {
    expect(parseQuery(body, { cube, limits, today })).toHaveProperty('query')
  }
})
