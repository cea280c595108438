import { expect, test } from 'vitest'
import { auctions } from '../../../src/catalog/auctions.ts'
import type { QueryDraft } from '../query/draft.ts'
import { describeFields, describeRest } from './describe-query.ts'

const draft: QueryDraft = {
  cube: auctions,
  dates: { last: 7 },
  dimensions: ['Day', 'Country'],
  metrics: ['Auctions', 'eCPM'],
  filters: [],
  sort: [],
  limit: undefined,
}

test('fields are told as they stand in the report', () => {
  expect(describeFields(draft)).toBe('Day, Country: Auctions, eCPM')
  expect(describeFields({ ...draft, dimensions: [] })).toBe('Totals: Auctions, eCPM')
})

test('of a long filter only the first values are told, and how many there are', () => {
  const filters: QueryDraft['filters'] = [
    { field: 'Country', operator: 'in', values: ['US', 'CA', 'GB', 'DE', 'FR', 'IT', 'ES'] },
    { field: 'App Name', operator: '=', values: [''] },
  ]
  expect(describeRest({ ...draft, filters, sort: [{ field: 'eCPM', order: 'desc' }], limit: 10_000 })).toEqual([
    'Country is one of US, CA, GB, DE, FR and 2 more',
    'App Name is (none)',
    'sorted by eCPM desc',
    'at most 10,000 rows',
  ])
})
