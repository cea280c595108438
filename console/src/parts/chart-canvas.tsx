import { BarChart, LineChart, type BarSeriesOption, type LineSeriesOption } from 'echarts/charts'
import {
  GridComponent,
  LegendComponent,
  TooltipComponent,
  type GridComponentOption,
  type LegendComponentOption,
  type TooltipComponentOption,
} from 'echarts/components'
import { init, use, type ComposeOption, type ECharts } from 'echarts/core'
import { SVGRenderer } from 'echarts/renderers'
import { useEffect, useRef } from 'react'

use([BarChart, LineChart, GridComponent, LegendComponent, TooltipComponent, SVGRenderer])

export type ChartOption = ComposeOption<
  BarSeriesOption | LineSeriesOption | GridComponentOption | LegendComponentOption | TooltipComponentOption
>

/** Draws a chart with ECharts, and redraws it when its element changes size. */
export default function ChartCanvas({ option, height }: { readonly option: ChartOption; readonly height: number }) {
  const element = useRef<HTMLDivElement>(null)
  const chart = useRef<ECharts>(null)
  useEffect(() => {
    if (!element.current) return
    const drawn = init(element.current)
    chart.current = drawn
    const observer = new ResizeObserver(() => drawn.resize())
    observer.observe(element.current)
    return () => {
      observer.disconnect()
      drawn.dispose()
    }
  }, [])
  useEffect(() => chart.current?.setOption(option, { notMerge: true }), [option])
  return <div ref={element} style={{ height }} aria-hidden />
}
