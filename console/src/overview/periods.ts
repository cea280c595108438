import { synchronousLimits } from '../../../src/catalog/limits.ts'
import { addDays, countDays, type Day } from '../../../src/query/day.ts'
import type { DayRange } from '../data/gaps.ts'

export type Periods = { readonly current: DayRange; readonly previous: DayRange }

/**
 * Returns the 14 days before today, which is not over, and the 14 days before those. If the last days are not loaded
 * yet, both end earlier, so that the same number of days and the same weekdays are compared. Returns undefined if
 * nothing of the last 14 days is loaded.
 */
export function choosePeriods(loaded: readonly Day[], today: Day): Periods | undefined {
  const days = synchronousLimits.daysMax
  const start = addDays(today, -days)
  const end = loaded.findLast((day) => day < today)
  if (end === undefined || end < start) return undefined
  return { current: { start, end }, previous: { start: addDays(start, -days), end: addDays(end, -days) } }
}

export const countLoaded = (loaded: readonly Day[], { start, end }: DayRange): number =>
  loaded.filter((day) => start <= day && day <= end).length

export const listDays = ({ start, end }: DayRange): readonly Day[] =>
  Array.from({ length: countDays(start, end) }, (_, index) => addDays(start, index))
