import { Anchor, Text } from '@mantine/core'
import { Link } from 'wouter'
import { useDays } from '../data/use-days.ts'
import { describeMissing } from './describe-missing.ts'
import type { Question } from './explore.ts'

/** Says that sums are too small, or a comparison is uneven, because days are not loaded. */
export function MissingDays({ question: { cube, body, previous } }: { readonly question: Question }) {
  const { data } = useDays(cube)
  const text =
    data &&
    describeMissing(
      data.data.map(({ day }) => day),
      body,
      previous,
    )
  if (text === undefined) return null
  return (
    <Text size="xs" c="dimmed" role="status">
      {text}{' '}
      <Anchor component={Link} href={`/data/days?cube=${cube.alias}`} size="xs">
        See the loaded days
      </Anchor>
    </Text>
  )
}
