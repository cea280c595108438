import { Anchor, Paper, Text } from '@mantine/core'
import { Link } from 'wouter'
import type { Cube, Metric } from '../../../src/catalog/cube.ts'
import type { DayRange } from '../data/gaps.ts'
import { formatShort, formatValue } from '../parts/format.ts'
import { Sparkline } from '../parts/sparkline.tsx'
import { explorerAddress } from '../query/addresses.ts'
import { Change } from './change.tsx'
import classes from './overview.module.css'

const charactersMax = 11

type Props = {
  readonly cube: Cube
  readonly metric: Metric
  readonly period: DayRange
  readonly now: number | null
  /** Undefined until it is known. Sums are comparable only if the same number of days is loaded. */
  readonly before: { readonly value: number | null; readonly isAsLong: boolean } | undefined
  readonly daily: readonly (number | null)[]
  readonly sparklineLabel: string
}

/** Shows one figure of the period, its change and its days. */
export function Tile({ cube, metric, period, now, before, daily, sparklineLabel }: Props) {
  const { name, unit, formula } = metric
  const full = formatValue(unit, now)
  const address = explorerAddress({ cube, dates: period, dimensions: ['Day'], metrics: [name] }, { isCompared: true })
  return (
    <Paper withBorder p="md" miw={0} role="group" aria-label={name} className={classes['tile']}>
      <Anchor component={Link} href={address} size="sm" c="inherit">
        {name}
      </Anchor>
      <Text fz={24} fw={650} lh={1.3} title={full} className="number" ta="left">
        {full.length <= charactersMax ? full : formatShort(unit, now)}
      </Text>
      <Change
        unit={unit}
        now={now}
        before={before?.value}
        isComparable={before === undefined || before.isAsLong || formula.kind !== 'sum'}
      />
      <div className={classes['days']}>
        <Sparkline values={daily} label={sparklineLabel} />
      </div>
    </Paper>
  )
}
