import { Text } from '@mantine/core'
import { ArrowDownIcon, ArrowUpIcon } from '@radix-ui/react-icons'
import type { Unit } from '../../../src/catalog/cube.ts'
import { changeOf, formatChange, formatShort } from '../parts/format.ts'
import classes from './overview.module.css'

type Props = {
  readonly unit: Unit
  readonly now: number | null
  /** Undefined while it loads. */
  readonly before: number | null | undefined
  readonly isComparable: boolean
}

/** Shows the change since the previous period, in words and color. */
export function Change({ unit, now, before, isComparable }: Props) {
  if (before === undefined) return <Text size="sm">&nbsp;</Text>
  if (!isComparable) return <Text size="sm">not compared: days are missing</Text>
  const share = changeOf(now, before)
  if (share === undefined) return <Text size="sm">nothing to compare with</Text>
  const from = `from ${formatShort(unit, before)}`
  const percent = formatChange(Math.abs(share)).replace('+', '')
  if (percent === '0%') return <Text size="sm">{`${share === 0 ? 'unchanged' : 'almost unchanged'} ${from}`}</Text>
  const isUp = share > 0
  return (
    <Text size="sm">
      <span className={classes[isUp ? 'up' : 'down']}>
        {isUp ? <ArrowUpIcon aria-hidden /> : <ArrowDownIcon aria-hidden />}
        {`${isUp ? 'up' : 'down'} ${percent}`}
      </span>{' '}
      {from}
    </Text>
  )
}
