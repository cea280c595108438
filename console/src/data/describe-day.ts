import type { Day } from '../../../src/query/day.ts'
import { formatCount, formatDay } from '../parts/format.ts'
import type { CalendarDay } from './months.ts'

/** "Nov 5, 2026: 1,234 rows in 1 load" */
export function describeDay({ day, loaded }: CalendarDay, today: Day): string {
  const name = formatDay(day)
  if (!loaded) return `${name}: ${day === today ? 'today, not loaded yet' : 'missing'}`
  const loads = loaded.loads === 1 ? '1 load' : `${formatCount(loaded.loads)} loads`
  if (loaded.rows === null) return `${name}: ${loads}`
  return `${name}: ${loaded.rows === 1 ? '1 row' : `${formatCount(loaded.rows)} rows`} in ${loads}`
}
