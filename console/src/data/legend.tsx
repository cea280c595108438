import { Group, Text } from '@mantine/core'
import { formatCount } from '../parts/format.ts'
import classes from './calendar.module.css'
import { shadeOf } from './shade.ts'

const steps = [0, 0.25, 0.5, 0.75, 1]

/** Explains the shades of the calendar. */
export function Legend({ rowsMax }: { readonly rowsMax: number }) {
  return (
    <Group gap={6} role="group" aria-label="What the shades mean">
      <Text size="xs">0 rows</Text>
      {steps.map((share) => (
        <span key={share} className={classes['swatch']} style={shadeOf(share * rowsMax, rowsMax)} aria-hidden />
      ))}
      <Text size="xs" mr="md">{`${formatCount(rowsMax)} rows a day`}</Text>
      <Group gap={6} wrap="nowrap">
        <span className={`${classes['swatch']} ${classes['missing']}`} aria-hidden />
        <Text size="xs">missing</Text>
      </Group>
    </Group>
  )
}
