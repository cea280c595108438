import type { Day } from '../../../src/query/day.ts'
import { formatDays } from '../parts/format.ts'
import { rangeOf, type Dates } from './draft.ts'

/** "Last 7 days", or the days themselves if they are fixed. */
export function describeDates(dates: Dates, today: Day): string {
  if ('last' in dates) return dates.last === 1 ? 'Yesterday' : `Last ${dates.last} days`
  const { start, end } = rangeOf(dates, today)
  return formatDays(start, end)
}
