import type { ChartOption } from '../parts/chart.tsx'
import { formatShort, formatShortDay, formatValue } from '../parts/format.ts'
import { theme } from '../theme.ts'
import type { ChartPlan, Series } from './plan-chart.ts'

type Colors = {
  readonly series: readonly string[]
  readonly before: string
  readonly text: string
  readonly line: string
  readonly page: string
}

/** Mostly Mantine's colors, in shades that stand out from the page. */
export const chartColors: Readonly<Record<'light' | 'dark', Colors>> = {
  light: {
    series: ['#0b7285', '#e8590c', '#5f3dc4', '#37b24d', '#e64980', '#f59f00', '#4dabf7', '#795548'],
    before: '#868e96',
    text: '#495057',
    line: '#e9ecef',
    page: '#ffffff',
  },
  dark: {
    series: ['#3bc9db', '#ffa94d', '#9775fa', '#69db7c', '#f783ac', '#ffe066', '#4dabf7', '#c0a48f'],
    before: '#828282',
    text: '#b8b8b8',
    line: '#3b3b3b',
    page: '#242424',
  },
}

/** `isNarrow`: on a phone, long names are shortened in favor of the bars. */
export function chartOption(plan: ChartPlan, colors: Colors, isNarrow: boolean): ChartOption {
  const { kind, metric, categories, areDays, series } = plan
  const isLying = kind === 'bars'
  const names = {
    type: 'category' as const,
    data: areDays ? categories.map(formatShortDay) : [...categories],
    inverse: isLying,
    axisTick: { show: false },
    axisLine: { lineStyle: { color: colors.line } },
    axisLabel: { color: colors.text, ...(isLying && { width: isNarrow ? 140 : 220, overflow: 'truncate' as const }) },
  }
  const values = {
    type: 'value' as const,
    axisLabel: {
      color: colors.text,
      hideOverlap: true,
      formatter: (value: number) => formatShort(metric.unit, value),
    },
    splitLine: { lineStyle: { color: colors.line } },
  }
  return {
    animation: false,
    // ECharts measures text in this font, so it cannot be "inherit".
    textStyle: { fontFamily: theme.fontFamily ?? 'sans-serif' },
    grid: { left: 8, right: 16, top: 12, bottom: series.length > 1 ? 36 : 8, containLabel: true },
    xAxis: isLying ? values : names,
    yAxis: isLying ? names : values,
    // ECharts escapes names in the tooltips that it formats itself. A `formatter` that returns HTML would have to.
    tooltip: {
      trigger: 'axis',
      axisPointer: { type: kind === 'lines' ? 'line' : 'shadow' },
      confine: true,
      backgroundColor: colors.page,
      borderColor: colors.line,
      textStyle: { color: colors.text, fontSize: 12 },
      valueFormatter: (value) => formatValue(metric.unit, typeof value === 'number' ? value : null),
    },
    ...(series.length > 1 && {
      legend: {
        type: 'scroll' as const,
        bottom: 0,
        left: 8,
        icon: 'roundRect',
        itemWidth: 10,
        itemHeight: 10,
        textStyle: { color: colors.text, fontSize: 12 },
        pageTextStyle: { color: colors.text },
        pageIconColor: colors.text,
        pageIconInactiveColor: colors.line,
      },
    }),
    series: series.map((each, index) => seriesOption(plan, each, colourOf(each, index, colors))),
  }
}

const colourOf = ({ role }: Series, index: number, { series, before }: Colors): string =>
  role === 'main' ? (series[index % series.length] ?? before) : before

function seriesOption({ kind, isStacked, categories, series }: ChartPlan, each: Series, color: string) {
  const common = { name: each.name, data: [...each.values], color }
  if (kind !== 'lines') {
    return { ...common, type: 'bar' as const, barMaxWidth: 32, ...(isStacked && { stack: 'all' }), barGap: '10%' }
  }
  return {
    ...common,
    type: 'line' as const,
    symbol: 'circle',
    symbolSize: 5,
    showSymbol: categories.length <= 14 && series.length <= 2 && each.role === 'main',
    lineStyle: {
      width: each.role === 'before' ? 1.5 : 2,
      type: each.role === 'before' ? ('dashed' as const) : ('solid' as const),
    },
    ...(each.role === 'main' && series.length <= 2 && { areaStyle: { opacity: 0.08 } }),
  }
}

/** A chart with bars grows with their number. */
export const chartHeight = ({ kind, categories, series, isStacked }: ChartPlan): number =>
  kind === 'bars' ? 64 + categories.length * (isStacked ? 24 : Math.max(24, 14 * series.length + 8)) : 280
