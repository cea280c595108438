import { addDays, addMonths, type Day } from '../../../src/query/day.ts'
import type { Days } from '../api/calls.ts'

export type LoadedDay = Days['data'][number]
export type CalendarDay = { readonly day: Day; readonly loaded: LoadedDay | undefined }
export type Month = {
  /** The first day of the month. */
  readonly start: Day
  readonly days: readonly CalendarDay[]
}

/** Lists the months from `first` to `last`, newest first, with their days in this range. */
export function listMonths(first: Day, last: Day, loaded: readonly LoadedDay[]): readonly Month[] {
  const byDay = new Map(loaded.map((each) => [each.day, each]))
  const months: Month[] = []
  for (let start = startOfMonth(last); start >= startOfMonth(first); start = addMonths(start, -1)) {
    const days: CalendarDay[] = []
    for (let day = start; startOfMonth(day) === start; day = addDays(day, 1)) {
      if (first <= day && day <= last) days.push({ day, loaded: byDay.get(day) })
    }
    months.push({ start, days })
  }
  return months
}

/** Splits days into weeks that start on Monday; undefined before the first and after the last day. */
export function listWeeks({ days }: Month): readonly (readonly (CalendarDay | undefined)[])[] {
  const before = days[0] ? weekdayOf(days[0].day) : 0
  const cells = [...Array.from({ length: before }, () => undefined), ...days]
  return Array.from({ length: Math.ceil(cells.length / 7) }, (_, week) =>
    Array.from({ length: 7 }, (_, weekday) => cells[7 * week + weekday]),
  )
}

/** Sums the rows of a month; undefined if they are not recorded for all days. */
export function sumRows({ days }: Month): number | undefined {
  let sum = 0
  for (const { loaded } of days) {
    if (loaded?.rows === null) return undefined
    sum += loaded?.rows ?? 0
  }
  return sum
}

const startOfMonth = (day: Day): Day => `${day.slice(0, 7)}-01`
/** The day of the week; 0 is Monday. */
const weekdayOf = (day: Day): number => (new Date(day).getUTCDay() + 6) % 7
