import { Anchor, Badge, Group, Text } from '@mantine/core'
import { Link } from 'wouter'
import type { Cube } from '../../../src/catalog/cube.ts'
import { countDays, type Day } from '../../../src/query/day.ts'
import { describeGaps, findGaps } from '../data/gaps.ts'
import { formatDay } from '../parts/format.ts'
import { Section } from '../parts/section.tsx'

type Props = { readonly cube: Cube; readonly loaded: readonly Day[]; readonly today: Day }

/** Shows the age of the data, and missing days. */
export function Freshness({ cube, loaded, today }: Props) {
  const first = loaded[0]!
  const last = loaded.at(-1)!
  const age = countDays(last, today) - 1
  const gaps = findGaps(loaded, today)
  return (
    <Section
      title="Data"
      actions={
        <Anchor component={Link} href={`/data/days?cube=${cube.alias}`} size="sm">
          See the days
        </Anchor>
      }
    >
      <Group gap="xs" mb="xs">
        <Text>{`Loaded through ${formatDay(last)} (${describeAge(age)})`}</Text>
        {/* A day ends at midnight UTC, and is loaded later. */}
        {age > 1 && <Badge color="yellow">{age === 2 ? '1 day behind' : `${age - 1} days behind`}</Badge>}
      </Group>
      <Text size="sm">{`${describeGaps(gaps)}${gaps.length === 0 ? ` since ${formatDay(first)}` : ''}.`}</Text>
    </Section>
  )
}

function describeAge(days: number): string {
  if (days === 0) return 'today'
  return days === 1 ? 'yesterday' : `${days} days ago`
}
