import { Text, Tooltip } from '@mantine/core'
import type { ReactElement } from 'react'
import { describeFormula, type Metric } from '../../../src/catalog/cube.ts'

/** Explains a metric and how it is computed. */
export function MetricTooltip({ metric, children }: { readonly metric: Metric; readonly children: ReactElement }) {
  const label = (
    <>
      <Text size="xs">{metric.description}</Text>
      <Text size="xs" ff="monospace">
        {describeFormula(metric.formula)}
      </Text>
    </>
  )
  return (
    <Tooltip label={label} events={{ hover: true, focus: true, touch: false }} openDelay={500}>
      {children}
    </Tooltip>
  )
}
