import { Skeleton } from '@mantine/core'
import { lazy, Suspense } from 'react'
import type { ChartOption } from './chart-canvas.tsx'

export type { ChartOption }

/** ECharts is large, so it is loaded with the first chart. */
const ChartCanvas = lazy(() => import('./chart-canvas.tsx'))

type Props = {
  readonly option: ChartOption
  readonly height: number
  /** The text alternative for screen readers. */
  readonly label: string
}

export function Chart({ option, height, label }: Props) {
  return (
    <div role="img" aria-label={label} style={{ height }}>
      <Suspense fallback={<Skeleton height={height} />}>
        <ChartCanvas option={option} height={height} />
      </Suspense>
    </div>
  )
}
