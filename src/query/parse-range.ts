import { asynchronousLimits, type QueryBounds } from '../catalog/limits.ts'
import { addDays, addMonths, countDays, isDay, type Day } from './day.ts'
import { kindOf, quote, type Faults } from './faults.ts'
import { pointToReport } from './point-to-report.ts'
import type { Query } from './query.ts'

export function parseRange(
  startText: unknown,
  endText: unknown,
  limits: QueryBounds,
  today: Day,
  faults: Faults,
): Pick<Query, 'start' | 'end'> | undefined {
  const start = parseDay(startText, faults.at('start'))
  const end = parseDay(endText, faults.at('end'))

  const oldest = oldestDay(limits, today)
  if (start !== undefined && start < oldest) {
    const reach = `${limits.endpoint} queries reach back to ${oldest}, ${describeReach(limits)} before today`
    const fitsReport = start >= oldestDayKept(today)
    const report = pointToReport(limits, fitsReport, `reaches back ${describeReach(asynchronousLimits)}`)
    faults.at('start').add(`Too old: ${reach}.${report}`)
  }
  for (const [member, day] of Object.entries({ start, end })) {
    if (day !== undefined && day > today) faults.at(member).add(`In the future: today is ${today} (UTC).`)
  }
  if (start === undefined || end === undefined) return undefined
  if (start > end) return faults.at('end').add(`Before start: the range ${start} to ${end} is reversed.`)
  const days = countDays(start, end)
  if (days > limits.daysMax) {
    const { endpoint, daysMax } = limits
    const most = asynchronousLimits.daysMax
    const report = pointToReport(limits, days <= most, `can have ${most} days`)
    faults.at('end').add(`Too many days: the range has ${days}, ${endpoint} queries take at most ${daysMax}.${report}`)
  }
  return { start, end }
}

function oldestDay({ available }: QueryBounds, today: Day): Day {
  return 'days' in available ? addDays(today, -available.days) : addMonths(today, -available.months)
}

/** Returns the oldest day that a query can ask for. Older days are neither loaded nor kept. */
export const oldestDayKept = (today: Day): Day => oldestDay(asynchronousLimits, today)

const describeReach = ({ available }: QueryBounds): string =>
  'days' in available ? `${available.days} days` : `${available.months} months`

function parseDay(text: unknown, faults: Faults): Day | undefined {
  if (text === undefined) return faults.add('Required: a date in the form yyyy-MM-DD.')
  if (typeof text !== 'string') return faults.add(`Must be a date in the form yyyy-MM-DD, not ${kindOf(text)}.`)
  if (!isDay(text)) return faults.add(`${quote(text)} is not a date in the form yyyy-MM-DD.`)
  return text
}
