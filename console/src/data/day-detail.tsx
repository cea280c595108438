import { Anchor, Group, Text } from '@mantine/core'
import { Link } from 'wouter'
import type { Cube } from '../../../src/catalog/cube.ts'
import { consoleBounds } from '../../../src/catalog/limits.ts'
import { addDays, type Day } from '../../../src/query/day.ts'
import { explorerAddress, reportAddress } from '../query/addresses.ts'
import { describeDay } from './describe-day.ts'
import type { CalendarDay } from './months.ts'

const daysBack = 'days' in consoleBounds.available ? consoleBounds.available.days : 0

type Props = { readonly cube: Cube; readonly day: CalendarDay; readonly today: Day }

/** Shows the chosen day, with links to its data. */
export function DayDetail({ cube, day, today }: Props) {
  const dates = { start: day.day, end: day.day }
  const isRecent = day.day >= addDays(today, -daysBack)
  return (
    <Group gap="sm" mih={24}>
      <Text size="sm" role="status">
        {describeDay(day, today)}
      </Text>
      {day.loaded && isRecent && (
        <Anchor component={Link} href={explorerAddress({ cube, dates, dimensions: [] })} size="sm">
          Explore this day
        </Anchor>
      )}
      {day.loaded && !isRecent && (
        <Anchor component={Link} href={reportAddress({ cube, dates })} size="sm">
          Report on this day
        </Anchor>
      )}
    </Group>
  )
}
