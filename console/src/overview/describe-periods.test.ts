import { expect, test } from 'vitest'
import { describePeriods } from './describe-periods.ts'
import { choosePeriods, listDays } from './periods.ts'

const today = '2026-11-19'

// Ranges of days have thin spaces.
function describe(loaded: readonly string[]): string {
  return describePeriods(choosePeriods(loaded, today)!, loaded, today).replaceAll('\u2009', ' ')
}

test('the overview says which days it is about', () => {
  const loaded = listDays({ start: '2026-10-01', end: today })
  expect(describe(loaded)).toBe(
    'Nov 5 – 18, 2026 (UTC), compared with Oct 22 – Nov 4, 2026. Today is left out because it is not over.',
  )
})

test('the overview says which days are missing', () => {
  const loaded = listDays({ start: '2026-10-25', end: '2026-11-17' }).filter((day) => day !== '2026-11-10')
  expect(describe(loaded)).toBe(
    'Nov 5 – 17, 2026 (UTC), compared with Oct 22 – Nov 3, 2026. Today is left out because it is not over. ' +
      'Nov 18, 2026 is not loaded yet. 1 day is missing in this period. 3 days are missing in the period before.',
  )
})
