import { Button, Flex, Group, InputBase, Popover, Stack, Text } from '@mantine/core'
import { DatePicker } from '@mantine/dates'
import { CalendarIcon } from '@radix-ui/react-icons'
import { useState } from 'react'
import type { QueryBounds } from '../../../src/catalog/limits.ts'
import { addDays, addMonths, countDays, type Day } from '../../../src/query/day.ts'
import { oldestDayKept } from '../../../src/query/parse-range.ts'
import { formatDays } from '../parts/format.ts'
import { describeDates } from './describe-dates.ts'
import { rangeOf, type Dates } from './draft.ts'
import { LimitLabel } from './limit-label.tsx'

type Props = {
  readonly value: Dates
  readonly onChange: (dates: Dates) => void
  readonly bounds: QueryBounds
  readonly today: Day
  readonly error: string | undefined
}

/** Presets that move with time, and a calendar for fixed days. All days are UTC. */
export function DatesInput({ value, onChange, bounds, today, error }: Props) {
  const [isOpen, setOpen] = useState(false)
  const { start, end } = rangeOf(value, today)
  const text = describeDates(value, today)
  const choose = (dates: Dates): void => {
    onChange(dates)
    setOpen(false)
  }
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-start" trapFocus returnFocus shadow="md">
      <Popover.Target>
        <InputBase
          component="button"
          type="button"
          size="xs"
          pointer
          label={<LimitLabel label="Days (UTC)" count={Math.max(0, countDays(start, end))} max={bounds.daysMax} />}
          labelProps={{ className: 'wide-label' }}
          leftSection={<CalendarIcon aria-hidden />}
          // The days that a moving preset means today.
          description={'last' in value && formatDays(start, end)}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          error={error}
          aria-label={`Days: ${text}`}
          onClick={() => setOpen(!isOpen)}
        >
          {text}
        </InputBase>
      </Popover.Target>
      <Popover.Dropdown p="xs">
        <Flex direction={{ base: 'column', xs: 'row' }} gap="xs" maw={{ base: 260, xs: 'none' }}>
          <Group gap={4} w={{ base: undefined, xs: 104 }} align="flex-start" style={{ alignContent: 'flex-start' }}>
            {listPresets(bounds, today).map(({ label, dates }) => (
              <Button
                key={label}
                size="compact-xs"
                variant={isSame(dates, value) ? 'light' : 'subtle'}
                onClick={() => choose(dates)}
              >
                {label}
              </Button>
            ))}
          </Group>
          <Calendar key={`${start} ${end}`} start={start} end={end} today={today} onChange={choose} />
        </Flex>
      </Popover.Dropdown>
    </Popover>
  )
}

type CalendarProps = {
  readonly start: Day
  readonly end: Day
  readonly today: Day
  readonly onChange: (dates: Dates) => void
}

function Calendar({ start, end, today, onChange }: CalendarProps) {
  const [range, setRange] = useState<[Day | null, Day | null]>([start, end])
  const choose = (chosen: [Day | null, Day | null]): void => {
    setRange(chosen)
    const [first, last] = chosen
    if (first !== null && last !== null) onChange({ start: first, end: last })
  }
  return (
    <Stack gap={4}>
      <DatePicker
        type="range"
        allowSingleDateInRange
        value={range}
        onChange={choose}
        defaultDate={end > today ? today : end}
        minDate={oldestDayKept(today)}
        maxDate={today}
        // Mantine shows weekends in red, which looks like an error.
        weekendDays={[]}
        size="xs"
        aria-label="Days"
        ariaLabels={{
          previousMonth: 'Month before',
          nextMonth: 'Next month',
          previousYear: 'Year before',
          nextYear: 'Next year',
        }}
        hideOutsideDates
      />
      <Text size="xs" c="dimmed">
        Choose the first and the last day.
      </Text>
    </Stack>
  )
}

type Preset = { readonly label: string; readonly dates: Dates }

function listPresets({ daysMax }: QueryBounds, today: Day): readonly Preset[] {
  const monthStart = `${today.slice(0, 8)}01`
  const months: readonly Preset[] = [
    { label: 'This month', dates: { start: monthStart, end: today } },
    { label: 'Last month', dates: { start: addMonths(monthStart, -1), end: addDays(monthStart, -1) } },
  ]
  const lasts = [1, 3, 7, 14, 28, 31].filter((days) => days <= daysMax)
  return [
    { label: 'Today', dates: { start: today, end: today } },
    ...lasts.map((last) => ({ label: describeDates({ last }, today), dates: { last } })),
    ...(daysMax >= 31 ? months : []),
  ]
}

const isSame = (one: Dates, other: Dates): boolean =>
  'last' in one
    ? 'last' in other && one.last === other.last
    : 'start' in other && one.start === other.start && one.end === other.end
