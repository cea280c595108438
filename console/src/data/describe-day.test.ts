import { expect, test } from 'vitest'
import { describeDay } from './describe-day.ts'

const today = '2026-11-19'
const describe = (rows: number | null, loads: number): string =>
  describeDay({ day: '2026-11-05', loaded: { day: '2026-11-05', rows, loads } }, today)

test('a day is described by its rows and loads', () => {
  expect(describe(1_234, 1)).toBe('Nov 5, 2026: 1,234 rows in 1 load')
  expect(describe(1, 2)).toBe('Nov 5, 2026: 1 row in 2 loads')
  expect(describe(null, 3)).toBe('Nov 5, 2026: 3 loads')
})

test('a day that is not loaded is missing, unless it is today', () => {
  expect(describeDay({ day: '2026-11-18', loaded: undefined }, today)).toBe('Nov 18, 2026: missing')
  expect(describeDay({ day: today, loaded: undefined }, today)).toBe('Nov 19, 2026: today, not loaded yet')
})
