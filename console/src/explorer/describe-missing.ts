import { countDays, type Day } from '../../../src/query/day.ts'

type Range = { readonly start: Day; readonly end: Day }

/** How many days of the period, and of the previous one, are not loaded; undefined when all of them are. */
export function describeMissing(loaded: readonly Day[], range: Range, previous: Range | undefined): string | undefined {
  const missing = countMissing(loaded, range)
  const before = previous ? countMissing(loaded, previous) : 0
  const days = countDays(range.start, range.end)
  const parts = [
    ...(missing > 0 ? [`${missing} of these ${days} days ${missing === 1 ? 'is' : 'are'} not loaded`] : []),
    ...(before > 0 ? [`${before} of the ${days} days before ${before === 1 ? 'is' : 'are'} not loaded`] : []),
  ]
  return parts.length === 0 ? undefined : `${parts.join('; ')}.`
}

const countMissing = (loaded: readonly Day[], { start, end }: Range): number =>
  countDays(start, end) - loaded.filter((day) => start <= day && day <= end).length
