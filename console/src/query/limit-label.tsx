import { Group, Text } from '@mantine/core'
import { formatCount } from '../parts/format.ts'

type Props = { readonly label: string; readonly count: number; readonly max: number }

/** The label of a control, with how much of its limit is used: "Dimensions 1 of 2". */
export function LimitLabel({ label, count, max }: Props) {
  const isOver = count > max
  return (
    <Group component="span" justify="space-between" gap="xs" wrap="nowrap">
      <span>{label}</span>
      <Text component="span" size="xs" fw={isOver ? 600 : 400} className={isOver ? 'alarm' : 'quiet'}>
        {`${formatCount(count)} of ${formatCount(max)}`}
      </Text>
    </Group>
  )
}
