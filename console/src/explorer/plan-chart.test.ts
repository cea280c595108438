import { describe, expect, test } from 'vitest'
import { auctions } from '../../../src/catalog/auctions.ts'
import type { Row } from '../api/query.ts'
import { describeChart, planChart } from './plan-chart.ts'

const plan = (
  dimensions: readonly string[],
  rows: readonly Row[],
  { charted = 'Auctions', previous }: { charted?: string; previous?: readonly (Row | undefined)[] } = {},
) =>
  planChart({
    cube: auctions,
    start: '2026-11-01',
    end: '2026-11-03',
    dimensions,
    metrics: ['Auctions', 'eCPM'],
    rows,
    previous,
    charted,
  })

const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `name ${index}`)

describe('one dimension', () => {
  test('over days: a line with a gap where a day is missing, and one for the days before', () => {
    const rows = [
      { Day: '2026-11-03', Auctions: 3, eCPM: 1 },
      { Day: '2026-11-01', Auctions: 1, eCPM: 1 },
    ]
    const previous = [{ Day: '2026-10-31', Auctions: 30, eCPM: 1 }, undefined]
    expect(plan(['Day'], rows, { previous })).toMatchObject({
      kind: 'lines',
      categories: ['2026-11-01', '2026-11-02', '2026-11-03'],
      series: [
        { name: 'Auctions', values: [1, null, 3], role: 'main' },
        { name: 'Previous period', values: [null, null, 30], role: 'before' },
      ],
    })
  })

  test('by name: bars in the order of the table, at most 20', () => {
    const rows = names(25).map((name, index) => ({ 'App Name': index === 0 ? null : name, Auctions: 25 - index }))
    const found = plan(['App Name'], rows)
    expect(found).toMatchObject({ kind: 'bars', isStacked: false, note: 'The first 20 of 25 rows' })
    expect(found?.categories.slice(0, 2)).toEqual(['(none)', 'name 1'])
    expect(found?.series[0]?.values.slice(0, 2)).toEqual([25, 24])
  })

  test('by hour: columns in the order of the day', () => {
    const rows = [
      { Time: '13:00', Auctions: 9 },
      { Time: '02:00', Auctions: 5 },
    ]
    expect(plan(['Time'], rows)).toMatchObject({
      kind: 'columns',
      categories: ['02:00', '13:00'],
      series: [{ values: [5, 9] }],
    })
  })
})

describe('two dimensions', () => {
  const rows = ['2026-11-01', '2026-11-02'].flatMap((Day) =>
    names(10).map((App, index) => ({ Day, 'App Name': App, Auctions: index, eCPM: 10 - index })),
  )

  test('a sum: stacked, with the smallest added up as others', () => {
    // Days run along the axis, whichever dimension comes first.
    for (const dimensions of [
      ['Day', 'App Name'],
      ['App Name', 'Day'],
    ]) {
      const found = plan(dimensions, rows)
      expect(found).toMatchObject({ kind: 'columns', isStacked: true, note: undefined })
      expect(found?.series.map(({ name }) => name)).toEqual([...names(10).slice(2).toReversed(), '2 others'])
      expect(found?.series.at(-1)).toEqual({ name: '2 others', values: [1, 1, null], role: 'rest' })
      const sums = found?.categories.map((_, index) =>
        found.series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0),
      )
      expect(sums).toEqual([45, 45, 0])
    }
  })

  test('a rate: lines, not stacked, for the values with most auctions', () => {
    const found = plan(['Day', 'App Name'], rows, { charted: 'eCPM' })
    expect(found).toMatchObject({ kind: 'lines', isStacked: false, note: 'The largest 8 of 10 for App Name' })
    expect(found?.series.map(({ name }) => name)).toEqual(names(10).slice(2).toReversed())
    expect(found?.series[0]?.values).toEqual([1, 1, null])
  })

  test('without days: stacked bars, the longest first', () => {
    const found = plan(
      ['Country', 'OS'],
      [
        { Country: 'US', OS: 'iOS', Auctions: 5 },
        { Country: 'CA', OS: 'iOS', Auctions: 4 },
        { Country: 'CA', OS: 'Android', Auctions: 3 },
      ],
    )
    expect(found).toMatchObject({
      kind: 'bars',
      isStacked: true,
      categories: ['CA', 'US'],
      series: [
        { name: 'iOS', values: [4, 5] },
        { name: 'Android', values: [3, null] },
      ],
    })
  })
})

test('there is no chart for totals or without rows', () => {
  expect(plan([], [{ Auctions: 1 }])).toBeUndefined()
  expect(plan(['Day'], [])).toBeUndefined()
})

test('a chart has a text alternative', () => {
  const found = plan(['Day'], [{ Day: '2026-11-01', Auctions: 1 }])
  expect(found && describeChart(found)).toBe(
    'Line chart of Auctions by day, 2026-11-01 to 2026-11-03. The table below has the numbers.',
  )
})
