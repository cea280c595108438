import { expect, it } from 'vitest'
import { auctions } from '../../catalog/auctions.ts'
import { drawAnswer } from './draw-answer.ts'
import { readQuery } from './read-query.ts'

const now = Date.parse('2026-11-14T12:00:00Z')
const queryOf = (flags: Parameters<typeof readQuery>[0]) => readQuery(flags, auctions, now)
const screen = { isTty: true, columns: 80 }
const countries = [
  { Country: 'US', Auctions: 403_333, 'Net Revenue': 1357.187, CTR: 0.011_97, 'Bid Avg': 0.0123 },
  { Country: null, Auctions: 88_625, 'Net Revenue': 241.457, CTR: null, 'Bid Avg': 0.5 },
]

it('formats numbers by their unit, and draws the metric that the rows are sorted by', () => {
  const query = queryOf({
    dimensions: ['Country'],
    metrics: ['Auctions', 'net_revenue', 'ctr', 'bid_avg'],
    sort: ['-net_revenue'],
  })
  expect(drawAnswer(auctions, query, countries, screen)).toBe(
    [
      'Country  Auctions  Net Revenue    CTR  Bid Avg',
      'US        403,333     1,357.19  1.20%   0.0123  ████████████████████████',
      '–          88,625       241.46      –   0.5000  ████▎',
      '',
    ].join('\n'),
  )
  expect(drawAnswer(auctions, query, countries, { isTty: false })).not.toContain('█')
})

it('draws a line over the days for each of several metrics', () => {
  const query = queryOf({ dimensions: ['Day'], metrics: ['Auctions', 'CTR'] })
  const rows = [3, 1, 2].map((day) => ({ Day: `2026-11-0${day}`, Auctions: day, CTR: day / 10 }))
  expect(drawAnswer(auctions, query, rows, screen)).toContain('\n\nAuctions  ▁▅█\nCTR       ▁▅█\n')
  expect(drawAnswer(auctions, { ...query, metrics: ['Auctions'] }, rows, screen)).toMatch(/2026-11-03 +3 +█{24}\n/)
})

it('is headings alone where there are no rows', () => {
  expect(drawAnswer(auctions, queryOf({ metrics: ['Auctions'] }), [], screen)).toBe('Auctions\n')
})
