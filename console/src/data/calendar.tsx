import { Stack, Tooltip } from '@mantine/core'
import { useState, type KeyboardEvent } from 'react'
import type { Cube } from '../../../src/catalog/cube.ts'
import { addDays, addMonths, type Day } from '../../../src/query/day.ts'
import { formatMonth } from '../parts/format.ts'
import classes from './calendar.module.css'
import { DayDetail } from './day-detail.tsx'
import { describeDay } from './describe-day.ts'
import { Legend } from './legend.tsx'
import { shadeOf } from './shade.ts'
import { listWeeks, type Month } from './months.ts'

const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

const steps: Readonly<Record<string, (day: Day) => Day>> = {
  ArrowLeft: (day) => addDays(day, -1),
  ArrowRight: (day) => addDays(day, 1),
  ArrowUp: (day) => addDays(day, -7),
  ArrowDown: (day) => addDays(day, 7),
  PageUp: (day) => addMonths(day, -1),
  PageDown: (day) => addMonths(day, 1),
}

type Props = {
  readonly cube: Cube
  readonly months: readonly Month[]
  readonly lastLoaded: Day
  readonly today: Day
}

/**
 * Shows a square for each day: the more rows, the darker. The Tab key stops once; the arrow keys move between days, and
 * Page Up and Page Down between months.
 */
export function Calendar({ cube, months, lastLoaded, today }: Props) {
  const days = months.flatMap((month) => month.days)
  const byDay = new Map(days.map((each) => [each.day, each]))
  const rowsMax = Math.max(...days.map(({ loaded }) => loaded?.rows ?? 0))
  const [chosen, setChosen] = useState(lastLoaded)
  const [pointed, setPointed] = useState<HTMLElement>()
  // The oldest day may have been deleted in the meantime.
  const chosenDay = byDay.get(chosen) ?? byDay.get(lastLoaded)
  const pointedDay = byDay.get(pointed?.dataset['day'] ?? '')

  const leave = (): void => setPointed(undefined)
  const step = (event: KeyboardEvent<HTMLElement>, from: Day): void => {
    const to = steps[event.key]?.(from)
    if (to === undefined) return
    event.preventDefault()
    // The day may be outside of the calendar.
    document.querySelector<HTMLElement>(`[data-day="${to}"]`)?.focus()
  }
  return (
    <Stack gap="sm">
      {chosenDay && <DayDetail cube={cube} day={chosenDay} today={today} />}
      <div className={classes['months']} role="group" aria-label="Days. The arrow keys go from one to another.">
        {months.map((month) => (
          <table key={month.start} className={classes['month']}>
            <caption>{formatMonth(month.start)}</caption>
            <thead>
              <tr>
                {weekdays.map((weekday) => (
                  <th key={weekday} scope="col" abbr={weekday}>
                    {weekday.slice(0, 2)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {listWeeks(month).map((week) => (
                <tr key={week.findLast((each) => each)?.day}>
                  {week.map((each, weekday) => (
                    <td key={weekdays[weekday]}>
                      {each && (
                        <button
                          type="button"
                          data-day={each.day}
                          className={classes[each.loaded || each.day === today ? 'day' : 'missing']}
                          style={shadeOf(each.loaded?.rows, rowsMax)}
                          aria-label={describeDay(each, today)}
                          aria-pressed={each === chosenDay}
                          tabIndex={each === chosenDay ? 0 : -1}
                          onClick={() => setChosen(each.day)}
                          onKeyDown={(event) => step(event, each.day)}
                          onFocus={(event) => setPointed(event.currentTarget)}
                          onBlur={leave}
                          onMouseEnter={(event) => setPointed(event.currentTarget)}
                          onMouseLeave={leave}
                        >
                          {Number(each.day.slice(8))}
                        </button>
                      )}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        ))}
      </div>
      {pointed && pointedDay && (
        <Tooltip target={pointed} opened withinPortal={false} label={describeDay(pointedDay, today)} />
      )}
      <Legend rowsMax={rowsMax} />
    </Stack>
  )
}
