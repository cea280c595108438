import { Anchor, Table } from '@mantine/core'
import { Link } from 'wouter'
import type { Cube } from '../../../src/catalog/cube.ts'
import type { DayRange } from '../data/gaps.ts'
import { Empty } from '../parts/empty.tsx'
import { Failed } from '../parts/failed.tsx'
import { formatValue } from '../parts/format.ts'
import { Section } from '../parts/section.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { explorerAddress } from '../query/addresses.ts'
import { readDimension, readMetric } from '../query/read-field.ts'
import { useRows } from '../query/use-rows.ts'
import classes from './overview.module.css'
import { retryFailed } from './retry-failed.ts'

const rowsMax = 6

type Props = {
  readonly cube: Cube
  readonly period: DayRange
  readonly dimension: string
  readonly title: string
  /** Null while it is unknown. */
  readonly revenueTotal: number | null
}

/** Lists the values of a dimension with the most revenue. */
export function TopList({ cube, period, dimension, title, revenueTotal }: Props) {
  const { tiles: metrics } = cube
  const [revenue] = metrics
  const { data, error } = useRows(cube, {
    ...period,
    dimensions: [dimension],
    metrics: [revenue],
    sort: [{ field: revenue, order: 'desc' }],
    limit: rowsMax,
  })
  // The first value is the largest.
  const amountMax = readMetric(data?.data[0], revenue) ?? 0
  const draft = { cube, dates: period, metrics }
  return (
    <Section
      title={title}
      actions={
        <Anchor
          component={Link}
          href={explorerAddress({ ...draft, dimensions: [dimension] })}
          size="sm"
          aria-label={`Explore: ${title}`}
        >
          Explore
        </Anchor>
      }
    >
      {error && !data && <Failed error={error} onRetry={retryFailed} />}
      {!error && !data && <Waiting what={title} height={264} />}
      {data?.data.length === 0 && <Empty title="No data in this period" />}
      {data !== undefined && data.data.length > 0 && (
        <Table className={classes['top']} horizontalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{dimension}</Table.Th>
              <Table.Th scope="col" className="number">
                {revenue}
              </Table.Th>
              <Table.Th scope="col" className="number">
                Share
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {data.data.map((row) => {
              const value = readDimension(row, dimension)
              const amount = readMetric(row, revenue) ?? 0
              const share = revenueTotal ? amount / revenueTotal : null
              const filters = [{ field: dimension, operator: '=' as const, values: [value ?? ''] }]
              return (
                <Table.Tr key={value}>
                  <Table.Th scope="row">
                    <Anchor
                      component={Link}
                      href={explorerAddress({ ...draft, dimensions: ['Day'], filters })}
                      size="sm"
                      className={classes['name']}
                      title={value ?? undefined}
                    >
                      {value ?? <em>no value</em>}
                    </Anchor>
                    <div
                      className={classes['bar']}
                      style={{ width: `${amount > 0 ? (100 * amount) / amountMax : 0}%` }}
                    />
                  </Table.Th>
                  <Table.Td className="number">{formatValue('currency', amount)}</Table.Td>
                  <Table.Td className="number">{share === null ? '' : formatValue('fraction', share)}</Table.Td>
                </Table.Tr>
              )
            })}
          </Table.Tbody>
        </Table>
      )}
    </Section>
  )
}
