import { Box, UnstyledButton } from '@mantine/core'
import { ArrowDownIcon, ArrowUpIcon } from '@radix-ui/react-icons'
import { memo } from 'react'
import type { Cube, Metric } from '../../../src/catalog/cube.ts'
import { findField } from '../../../src/query/parse-fields.ts'
import type { Row } from '../api/query.ts'
import { changeOf, formatChange, formatValue } from '../parts/format.ts'
import type { SortDraft } from '../query/draft.ts'
import { noValue } from '../query/no-value.ts'
import { readMetric } from '../query/read-field.ts'
import classes from './explorer.module.css'
import { MetricTooltip } from './metric-tooltip.tsx'

const shortRowsMax = 200

type Props = {
  readonly cube: Cube
  readonly dimensions: readonly string[]
  readonly metrics: readonly Metric[]
  readonly rows: readonly Row[]
  readonly totals: Row | undefined
  /** The previous period's rows and totals, when periods are compared. */
  readonly previous: { readonly rows: readonly (Row | undefined)[]; readonly totals: Row | undefined } | undefined
  readonly sort: SortDraft | undefined
  readonly onSort: (sort: SortDraft) => void
}

/** Clicking a column head changes the query: the rows may be the first of many, so the server has to sort. */
export function ResultTable({ cube, dimensions, metrics, rows, totals, previous, sort, onSort }: Props) {
  const heads = [...dimensions, ...metrics.map(({ name }) => name)]
  return (
    <Box
      className={classes['table']}
      data-short={rows.length <= shortRowsMax || undefined}
      tabIndex={0}
      role="region"
      aria-label="Rows"
    >
      <table>
        <thead>
          <tr>
            {heads.map((name) => {
              const order = sort?.field === name ? sort.order : undefined
              return (
                <th
                  key={name}
                  scope="col"
                  className={dimensions.includes(name) ? undefined : 'number'}
                  aria-sort={order && (order === 'asc' ? 'ascending' : 'descending')}
                >
                  <Head name={name} cube={cube} order={order} onSort={onSort} />
                </th>
              )
            })}
          </tr>
          {dimensions.length > 0 && (
            <tr>
              <th scope="row" colSpan={dimensions.length}>
                Total
              </th>
              {metrics.map((metric) => (
                <Value key={metric.name} metric={metric} row={totals} previous={previous && (previous.totals ?? {})} />
              ))}
            </tr>
          )}
        </thead>
        <Body dimensions={dimensions} metrics={metrics} rows={rows} previous={previous?.rows} />
      </table>
    </Box>
  )
}

type HeadProps = Pick<Props, 'cube' | 'onSort'> & {
  readonly name: string
  readonly order: SortDraft['order'] | undefined
}

function Head({ name, cube, order, onSort }: HeadProps) {
  const metric = findField(name, cube.metrics)
  // Metrics sort largest first, dimensions in ascending order.
  const next = order === undefined ? (metric ? 'desc' : 'asc') : order === 'asc' ? 'desc' : 'asc'
  const button = (
    <UnstyledButton className={classes['sort']} onClick={() => onSort({ field: name, order: next })}>
      {order === 'asc' && <ArrowUpIcon aria-hidden />}
      {order === 'desc' && <ArrowDownIcon aria-hidden />}
      {name}
    </UnstyledButton>
  )
  return metric ? <MetricTooltip metric={metric}>{button}</MetricTooltip> : button
}

type BodyProps = Pick<Props, 'dimensions' | 'metrics' | 'rows'> & {
  readonly previous: readonly (Row | undefined)[] | undefined
}

/** Up to 1,000 rows, so it renders again only when they change. */
const Body = memo(function Body({ dimensions, metrics, rows, previous }: BodyProps) {
  return (
    <tbody>
      {rows.map((row, index) => (
        <tr key={JSON.stringify(dimensions.map((name) => row[name]))}>
          {dimensions.map((name) => (
            <td key={name} title={row[name] === null ? undefined : String(row[name])}>
              {row[name] ?? <span className="quiet">{noValue}</span>}
            </td>
          ))}
          {metrics.map((metric) => (
            <Value key={metric.name} metric={metric} row={row} previous={previous && (previous[index] ?? {})} />
          ))}
        </tr>
      ))}
    </tbody>
  )
})

type ValueProps = {
  readonly metric: Metric
  readonly row: Row | undefined
  /** Undefined when periods are not compared. */
  readonly previous: Row | undefined
}

function Value({ metric: { name, unit }, row, previous }: ValueProps) {
  const value = readMetric(row, name)
  if (!previous) return <td className="number">{formatValue(unit, value)}</td>
  const before = readMetric(previous, name)
  const change = changeOf(value, before)
  return (
    <td className="number" title={`Before: ${formatValue(unit, before)}`}>
      {formatValue(unit, value)}
      <span className={classes['change']}>{change === undefined ? '' : formatChange(change)}</span>
    </td>
  )
}
