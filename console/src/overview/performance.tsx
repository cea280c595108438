import { SimpleGrid, Text } from '@mantine/core'
import type { Cube } from '../../../src/catalog/cube.ts'
import type { Day } from '../../../src/query/day.ts'
import { findField } from '../../../src/query/parse-fields.ts'
import { Failed } from '../parts/failed.tsx'
import { formatDays } from '../parts/format.ts'
import { Waiting } from '../parts/waiting.tsx'
import { readMetric } from '../query/read-field.ts'
import { useRows } from '../query/use-rows.ts'
import { describePeriods } from './describe-periods.ts'
import classes from './overview.module.css'
import { countLoaded, listDays, type Periods } from './periods.ts'
import { retryFailed } from './retry-failed.ts'
import { Tile } from './tile.tsx'
import { TopList } from './top-list.tsx'

type Props = {
  readonly cube: Cube
  readonly periods: Periods
  readonly loaded: readonly Day[]
  readonly today: Day
}

/** Shows a tile for each figure, and the sources of most of the revenue. */
export function Performance({ cube, periods, loaded, today }: Props) {
  const { current, previous } = periods
  const { tiles: metrics, tops } = cube
  const shown = metrics.flatMap((name) => findField(name, cube.metrics) ?? [])
  // Totals are separate queries, because the rate of a period is not the sum of the rates of its days.
  const totals = useRows(cube, { ...current, dimensions: [], metrics })
  const totalsBefore = useRows(cube, { ...previous, dimensions: [], metrics })
  const daily = useRows(cube, { ...current, dimensions: ['Day'], metrics })
  const total = totals.data?.data[0]
  const totalBefore = totalsBefore.data?.data[0]
  const rowsByDay = new Map(daily.data?.data.map((row) => [row['Day'], row]))
  const isAsLong = countLoaded(loaded, current) === countLoaded(loaded, previous)
  const failed = [totals, totalsBefore, daily].find(({ error, data }) => error && !data)
  return (
    <>
      <Text size="sm">{describePeriods(periods, loaded, today)}</Text>
      {failed && <Failed error={failed.error} onRetry={retryFailed} />}
      {totals.isPending && <Waiting what="Adding up the last 14 days" height={150} />}
      {totals.data && (
        <div className={classes['tiles']}>
          {shown.map((metric) => (
            <Tile
              key={metric.name}
              cube={cube}
              period={current}
              metric={metric}
              now={readMetric(total, metric.name)}
              before={totalsBefore.data && { value: readMetric(totalBefore, metric.name), isAsLong }}
              daily={listDays(current).map((day) => readMetric(rowsByDay.get(day), metric.name))}
              sparklineLabel={`${metric.name} a day, ${formatDays(current.start, current.end)}`}
            />
          ))}
        </div>
      )}
      <SimpleGrid cols={{ base: 1, md: 3 }}>
        {Object.entries(tops).map(([plural, dimension]) => (
          <TopList
            key={dimension}
            cube={cube}
            period={current}
            dimension={dimension}
            title={`Top ${plural}`}
            revenueTotal={readMetric(total, metrics[0])}
          />
        ))}
      </SimpleGrid>
    </>
  )
}
