import { addDays, countDays, type Day } from '../../../src/query/day.ts'
import { formatDay, formatDays } from '../parts/format.ts'
import { countLoaded, type Periods } from './periods.ts'

/** Describes the days of the overview, and the missing ones. */
export function describePeriods({ current, previous }: Periods, loaded: readonly Day[], today: Day): string {
  const yesterday = addDays(today, -1)
  const missing = ({ start, end }: Periods['current']): number =>
    countDays(start, end) - countLoaded(loaded, { start, end })
  return [
    `${formatDays(current.start, current.end)} (UTC), compared with ${formatDays(previous.start, previous.end)}.`,
    'Today is left out because it is not over.',
    current.end < yesterday && `${listWords(addDays(current.end, 1), yesterday)} not loaded yet.`,
    missing(current) > 0 && `${countWords(missing(current))} missing in this period.`,
    missing(previous) > 0 && `${countWords(missing(previous))} missing in the period before.`,
  ]
    .filter((sentence) => sentence !== false)
    .join(' ')
}

const listWords = (start: Day, end: Day): string =>
  start === end ? `${formatDay(start)} is` : `${formatDays(start, end)} are`
const countWords = (days: number): string => (days === 1 ? '1 day is' : `${days} days are`)
