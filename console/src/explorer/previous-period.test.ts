import { expect, test } from 'vitest'
import { auctions } from '../../../src/catalog/auctions.ts'
import type { DraftBody } from '../query/draft.ts'
import { findPrevious, previousBody } from './previous-period.ts'

const today = '2026-11-19'
const body: DraftBody = {
  start: '2026-11-05',
  end: '2026-11-18',
  dimensions: ['Day', 'Country'],
  metrics: ['Auctions'],
  filters: [
    { field: 'Day', operator: 'in', values: ['2026-11-05', '2026-11-06'] },
    { field: 'Country', operator: '=', value: 'US' },
  ],
  sort: [{ field: 'Auctions', order: 'desc' }],
  limit: 10,
}

test('the previous period is as long, ends the day before, and has no limit', () => {
  expect(previousBody(body, auctions, today)).toEqual({
    start: '2026-10-22',
    end: '2026-11-04',
    dimensions: ['Day', 'Country'],
    metrics: ['Auctions'],
    filters: [
      { field: 'Day', operator: 'in', values: ['2026-10-22', '2026-10-23'] },
      { field: 'Country', operator: '=', value: 'US' },
    ],
    sort: [{ field: 'Auctions', order: 'desc' }],
  })
})

test('there is none if it would begin too long ago', () => {
  expect(previousBody({ ...body, start: '2026-11-04' }, auctions, today)).toBeUndefined()
})

test('rows match by shifted day and by missing values', () => {
  const rows = [
    { Day: '2026-11-05', Country: 'US', Auctions: 5 },
    { Day: '2026-11-05', Country: null, Auctions: 3 },
    { Day: '2026-11-06', Country: 'US', Auctions: 4 },
  ]
  const previous = [
    { Day: '2026-10-22', Country: null, Auctions: 1 },
    { Day: '2026-10-22', Country: 'US', Auctions: 2 },
    { Day: '2026-10-23', Country: 'CA', Auctions: 9 },
  ]
  const found = findPrevious(rows, previous, ['Day', 'Country'], 14)
  expect(found.map((row) => row?.Auctions)).toEqual([2, 1, undefined])
})
