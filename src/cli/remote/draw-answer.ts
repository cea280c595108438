import type { Cube, Unit } from '../../catalog/cube.ts'
import type { Query } from '../../client/index.ts'
import type { QueryAnswer } from '../../contract/answers.ts'
import { drawSparkline, drawTable } from '../draw-table.ts'

type Screen = { readonly isTty: boolean; readonly columns?: number; readonly hasColor?: boolean }

/** Draws the rows of a query as a table, on a terminal with bars or sparklines for the metric to compare. */
export function drawAnswer(
  cube: Cube,
  { dimensions, metrics, sort = [] }: Query,
  rows: QueryAnswer['data'],
  { isTty, columns: width = 80, hasColor = false }: Screen,
): string {
  const formats = metrics.map((name) => {
    const unit = cube.metrics.find((metric) => metric.name === name)?.unit ?? 'average'
    const values = rows.map((row) => numberOf(row, name))
    return formatterOf(unit, values)
  })
  const columns = [
    ...dimensions.map((name) => ({ name, ...(name !== 'Day' && { overflow: 'cut' as const }) })),
    ...metrics.map((name) => ({ name, isNumber: true })),
  ]
  const cells = rows.map((row) => [
    ...dimensions.map((name) => String(row[name] ?? '–')),
    ...metrics.map((name, index) => formats[index]!(numberOf(row, name))),
  ])
  if (!isTty) return drawTable(columns, cells)

  const isByDay = dimensions.length === 1 && dimensions[0] === 'Day'
  const compared = metrics.length === 1 ? metrics[0] : metrics.find((name) => name === sort[0]?.field)
  const bars = compared !== undefined && rows.length > 1 ? rows.map((row) => numberOf(row, compared)) : undefined
  const table = drawTable(columns, cells, { width, hasColor, ...(bars && { bars }) })
  return isByDay && !bars && rows.length > 1 ? `${table}\n${drawLines(metrics, rows)}` : table
}

function drawLines(metrics: readonly string[], rows: QueryAnswer['data']): string {
  const days = rows.toSorted((a, b) => (String(a['Day']) < String(b['Day']) ? -1 : 1))
  const width = Math.max(...metrics.map(({ length }) => length))
  return metrics
    .map((name) => `${name.padEnd(width)}  ${drawSparkline(days.map((row) => numberOf(row, name)))}\n`)
    .join('')
}

const numberOf = (row: QueryAnswer['data'][number], name: string): number | null => {
  const value = row[name]
  return typeof value === 'number' ? value : null
}

/** Formats the values of a metric for a person, by its unit. */
function formatterOf(unit: Unit, values: readonly (number | null)[]): (value: number | null) => string {
  const format = new Intl.NumberFormat('en', optionsOf(unit, Math.max(...values.map((value) => value ?? 0))))
  return (value) => (value === null ? '–' : `${format.format(value)}${unit === 'milliseconds' ? ' ms' : ''}`)
}

function optionsOf(unit: Unit, most: number): Intl.NumberFormatOptions {
  const decimals = (count: number) => ({ minimumFractionDigits: count, maximumFractionDigits: count })
  switch (unit) {
    case 'count':
    case 'devices':
    case 'milliseconds':
      return decimals(0)
    case 'currency':
      // Single bids are fractions of a cent.
      return decimals(most < 1 ? 4 : 2)
    case 'fraction':
      return { style: 'percent', ...decimals(2) }
    case 'average':
      return decimals(2)
  }
}
