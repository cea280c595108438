import { addDays, countDays, type Day } from '../../../src/query/day.ts'
import { formatDays } from '../parts/format.ts'

export type DayRange = { readonly start: Day; readonly end: Day }

const gapsNamed = 5

/** Finds the missing days between the first loaded one and yesterday. Today may still be loaded. */
export function findGaps(loaded: readonly Day[], today: Day): readonly DayRange[] {
  const gaps: DayRange[] = []
  // Today ends the list, whether it is loaded or not.
  for (const [index, next] of [...loaded.slice(1), today].entries()) {
    const start = addDays(loaded[index] ?? today, 1)
    if (start < next) gaps.push({ start, end: addDays(next, -1) })
  }
  return gaps
}

/** Cuts gaps to a range of days. */
export const gapsWithin = (gaps: readonly DayRange[], start: Day, end: Day): readonly DayRange[] =>
  gaps.flatMap((gap) =>
    gap.start > end || gap.end < start
      ? []
      : [{ start: gap.start < start ? start : gap.start, end: gap.end > end ? end : gap.end }],
  )

const countGapDays = (gaps: readonly DayRange[]): number =>
  gaps.reduce((days, { start, end }) => days + countDays(start, end), 0)

/** "3 days are missing: Nov 3 – 5, 2026", newest first. */
export function describeGaps(gaps: readonly DayRange[]): string {
  const days = countGapDays(gaps)
  if (days === 0) return 'No day is missing'
  const named = gaps.toReversed().slice(0, gapsNamed)
  const more = gaps.length - named.length
  const list = named.map(({ start, end }) => formatDays(start, end)).join('; ')
  return `${days === 1 ? '1 day is' : `${days} days are`} missing: ${list}${more > 0 ? `; and ${more} more ${more === 1 ? 'gap' : 'gaps'}` : ''}`
}
