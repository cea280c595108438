import { Paper, Text, useComputedColorScheme, VisuallyHidden } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useMemo } from 'react'
import { Chart } from '../parts/chart.tsx'
import { chartColors, chartHeight, chartOption } from './chart-option.ts'
import { describeChart, type ChartPlan } from './plan-chart.ts'

export function ResultChart({ plan }: { readonly plan: ChartPlan }) {
  const scheme = useComputedColorScheme('light')
  const isNarrow = useMediaQuery('(max-width: 48em)')
  const option = useMemo(() => chartOption(plan, chartColors[scheme], isNarrow), [plan, scheme, isNarrow])
  return (
    <Paper withBorder p="xs">
      <VisuallyHidden component="h2">Chart</VisuallyHidden>
      <Chart option={option} height={chartHeight(plan)} label={describeChart(plan)} />
      {plan.note !== undefined && (
        <Text size="xs" c="dimmed" px={8}>
          {plan.note}
        </Text>
      )}
    </Paper>
  )
}
