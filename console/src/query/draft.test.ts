import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cubes } from '../../../src/catalog/cubes.ts'
import { asynchronousLimits, consoleBounds } from '../../../src/catalog/limits.ts'
import { operators } from '../../../src/query/query.ts'
import { fitCube, withDimensions, withMetrics } from './change-draft.ts'
import { checkDraft, faultAt, fitsReport } from './check-draft.ts'
import { cubeLabel } from './cube-label.ts'
import { defaultDraft } from './default-draft.ts'
import { readDraft, toBody, writeDraft, type QueryDraft } from './draft.ts'

const today = '2026-11-19'
const [auctions, platformPerformance] = cubes as [(typeof cubes)[number], (typeof cubes)[number]]
const defaults = defaultDraft(auctions)

describe('an address', () => {
  test('is readable', () => {
    const draft: QueryDraft = {
      ...defaults,
      dates: { start: '2026-11-01', end: '2026-11-07' },
      dimensions: ['Day', 'Ad Size'],
      filters: [{ field: 'Country', operator: 'not in', values: ['US', 'Trinidad, Tobago'] }],
      sort: [
        { field: 'eCPM', order: 'desc' },
        { field: 'Day', order: 'asc' },
      ],
      limit: 50,
    }
    expect(writeDraft(draft)).toBe(
      'cube=auctions&start=2026-11-01&end=2026-11-07&d=Day,Ad+Size&m=Auctions,Net+Revenue,eCPM' +
        '&f=Country,not+in,US,Trinidad*1+Tobago&sort=-eCPM,Day&limit=50',
    )
  })

  test('holds every draft, in ASCII', () => {
    const text = fc.string({ unit: 'binary' }).map((value) => value.toWellFormed())
    const draftOf = (cube: QueryDraft['cube']) => {
      const dimension = fc.constantFrom(...cube.dimensions.map(({ name }) => name))
      const metric = fc.constantFrom(...cube.metrics.map(({ name }) => name))
      const order = fc.constantFrom('asc' as const, 'desc' as const)
      return fc.record<QueryDraft>({
        cube: fc.constant(cube),
        dates: fc.oneof(
          fc.record({ last: fc.integer({ min: 1, max: 400 }) }),
          fc.constant({ start: '2026-02-28', end: '2024-02-29' }),
        ),
        dimensions: fc.uniqueArray(dimension),
        metrics: fc.uniqueArray(metric),
        filters: fc.array(
          fc
            .record({
              field: dimension,
              operator: fc.constantFrom(...operators),
              values: fc.array(text, { minLength: 1 }),
            })
            .map((filter) =>
              filter.operator === '=' || filter.operator === 'like'
                ? { ...filter, values: filter.values.slice(0, 1) }
                : filter,
            ),
        ),
        sort: fc.array(fc.record({ field: fc.oneof(dimension, metric), order })),
        limit: fc.option(fc.integer({ min: 1, max: 10_000_000 }), { nil: undefined }),
      })
    }
    const anyDraft = fc.constantFrom(...cubes).chain(draftOf)
    fc.assert(
      fc.property(anyDraft, (draft) => {
        const search = writeDraft(draft)
        expect(search).toMatch(/^[!-~]*$/)
        expect(readDraft(search, defaults)).toEqual(draft)
      }),
    )
  })

  test('can be anything without causing an error', () => {
    const broken = [
      '%',
      'd=%E0%A4%A',
      'f=,,,&f=&f=*',
      'sort=-,--,&limit=1e9&last=-1',
      'start=2026-02-30&end=x',
      'm=&d=',
    ]
    for (const search of broken) expect(() => readDraft(search, defaults)).not.toThrow()
    fc.assert(fc.property(fc.string(), (search) => void readDraft(search, defaults)))
    const key = fc.constantFrom('cube', 'start', 'end', 'last', 'd', 'm', 'f', 'sort', 'limit')
    fc.assert(
      fc.property(fc.array(fc.tuple(key, fc.string())), (pairs) => {
        const draft = readDraft(new URLSearchParams(pairs).toString(), defaults)
        expect(readDraft(writeDraft(draft), defaults)).toEqual(draft)
      }),
    )
  })

  test('keeps the default for what is missing or malformed', () => {
    expect(readDraft('', defaults)).toEqual(defaults)
    expect(readDraft('cube=sales&last=0&d=Planet&m=Happiness&limit=none&sort=Planet', defaults)).toEqual(defaults)
    expect(readDraft('cube=platform-performance', defaults)).toEqual(defaultDraft(platformPerformance))
  })

  test('drops names that the cube does not have, and accepts any case', () => {
    const draft = readDraft('d=country,Planet&m=ecpm,ECPM&f=Planet,in,Mars&f=os,like,And%25&f=OS,*,x', defaults)
    expect(draft).toMatchObject({
      dimensions: ['Country'],
      metrics: ['eCPM'],
      filters: [{ field: 'OS', operator: 'like', values: ['And%'] }],
    })
  })

  test('can have no dimensions', () => {
    expect(readDraft('d=', defaults).dimensions).toEqual([])
  })
})

describe('what is sent', () => {
  test('is the whole query', () => {
    const draft: QueryDraft = {
      ...defaults,
      dates: { last: 7 },
      dimensions: ['Country'],
      filters: [
        { field: 'OS', operator: '=', values: [''] },
        { field: 'Country', operator: 'in', values: ['US', 'CA'] },
      ],
      limit: 10,
    }
    expect(toBody(draft, today)).toEqual({
      start: '2026-11-12',
      end: '2026-11-18',
      dimensions: ['Country'],
      metrics: ['Auctions', 'Net Revenue', 'eCPM'],
      filters: [
        { field: 'OS', operator: '=', value: '' },
        { field: 'Country', operator: 'in', values: ['US', 'CA'] },
      ],
      sort: [{ field: 'Auctions', order: 'desc' }],
      limit: 10,
    })
  })

  test('has no sort order over time, because the server sorts by time', () => {
    expect(toBody(defaults, today).sort).toBeUndefined()
    expect(toBody({ ...defaults, dimensions: ['Time'] }, today).sort).toBeUndefined()
    expect(toBody({ ...defaults, dimensions: [] }, today).sort).toBeUndefined()
  })

  test('is valid on a first visit', () => {
    for (const cube of cubes) expect(checkDraft(defaultDraft(cube), consoleBounds, today)).toEqual([])
  })
})

describe('switching the cube', () => {
  test('keeps the fields that the other cube has, in its spelling', () => {
    const draft: QueryDraft = {
      ...defaults,
      dimensions: ['Adgroup Id', 'Bidder Name'],
      metrics: ['Uniques', 'eCPM'],
      filters: [
        { field: 'Bidder Name', operator: '=', values: ['Quayside'] },
        { field: 'Country', operator: '=', values: ['US'] },
      ],
      sort: [
        { field: 'Bidder Name', order: 'asc' },
        { field: 'Uniques', order: 'desc' },
      ],
    }
    expect(fitCube(draft, platformPerformance)).toMatchObject({
      dimensions: ['Adgroup ID'],
      metrics: ['Uniques'],
      filters: [{ field: 'Country', operator: '=', values: ['US'] }],
      sort: [{ field: 'Uniques', order: 'desc' }],
    })
  })

  test('chooses default fields when none remain', () => {
    const draft = fitCube({ ...defaults, dimensions: ['Bidder Name'] }, platformPerformance)
    expect(draft.dimensions).toEqual(['Day'])
    expect(draft.metrics).toEqual(['Ad Requests', 'Adserver Revenue', 'Adserver eCPM'])
  })
})

test('removing a field removes it from the sort order', () => {
  const draft: QueryDraft = {
    ...defaults,
    sort: [
      { field: 'Day', order: 'desc' },
      { field: 'eCPM', order: 'desc' },
      { field: 'Clicks', order: 'asc' },
    ],
  }
  expect(withDimensions(draft, ['Country']).sort.map(({ field }) => field)).toEqual(['eCPM', 'Clicks'])
  expect(withMetrics(draft, ['Auctions']).sort.map(({ field }) => field)).toEqual(['Day', 'Clicks'])
})

test('a query beyond the bounds has a fault at each place, and may fit a report', () => {
  const draft: QueryDraft = { ...defaults, dimensions: ['Day', 'Country', 'OS'], dates: { last: 20 } }
  const faults = checkDraft(draft, consoleBounds, today)
  expect(faultAt(faults, 'dimensions')).toBe('Too many dimensions: 3. A query can have at most 2.')
  expect(faultAt(faults, 'start', 'end')).toContain('Too many days')
  expect(faultAt(faults, 'metrics')).toBeUndefined()
  expect(fitsReport(draft, today)).toBe(true)
  expect(fitsReport({ ...draft, metrics: [] }, today)).toBe(false)
  expect(faultAt(checkDraft({ ...draft, dates: { last: 40 } }, asynchronousLimits, today), 'end')).toBeDefined()
})

test('cubes have labels', () => {
  expect(cubes.slice(0, 2).map(cubeLabel)).toEqual(['Auctions', 'Platform performance'])
})
