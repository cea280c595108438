import { Text, UnstyledButton } from '@mantine/core'
import type { Metric } from '../../../src/catalog/cube.ts'
import type { Row } from '../api/query.ts'
import { changeOf, formatChange, formatShort, formatValue } from '../parts/format.ts'
import { readMetric } from '../query/read-field.ts'
import classes from './explorer.module.css'
import { MetricTooltip } from './metric-tooltip.tsx'

type Props = {
  readonly metrics: readonly Metric[]
  readonly totals: Row | undefined
  /** Undefined where periods are not compared. */
  readonly previous: Row | undefined
  readonly charted: string | undefined
  /** Undefined where there is no chart. */
  readonly onChart: ((metric: string) => void) | undefined
}

/** The totals. Clicking one shows its metric in the chart. */
export function MetricTiles({ metrics, totals, previous, charted, onChart }: Props) {
  return (
    <div className={classes['tiles']} role="group" aria-label="Totals">
      {metrics.map((metric) => {
        const value = readMetric(totals, metric.name)
        const before = previous && readMetric(previous, metric.name)
        const change = changeOf(value, before)
        return (
          <MetricTooltip key={metric.name} metric={metric}>
            <UnstyledButton
              className={classes['tile']}
              aria-pressed={onChart && metric.name === charted}
              onClick={() => onChart?.(metric.name)}
            >
              <Text size="xs" c="dimmed" truncate>
                {metric.name}
              </Text>
              <Text fw={600} size="lg" ta="left" className="number">
                {formatValue(metric.unit, value)}
              </Text>
              {previous && (
                <Text size="xs" c="dimmed" truncate>
                  {`${change === undefined ? '' : `${formatChange(change)} `}from ${formatShort(metric.unit, before)}`}
                </Text>
              )}
            </UnstyledButton>
          </MetricTooltip>
        )
      })}
    </div>
  )
}
