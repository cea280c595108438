import type { Cube, Metric } from '../../../src/catalog/cube.ts'
import { addDays, countDays, type Day } from '../../../src/query/day.ts'
import { findField } from '../../../src/query/parse-fields.ts'
import type { Row } from '../api/query.ts'
import { noValue } from '../query/no-value.ts'
import { readMetric } from '../query/read-field.ts'

/** At most this many are drawn, so that they can be told apart. */
const seriesMax = 8
const barsMax = 20
const groupsMax = 12

export type ChartPlan = {
  /** Columns are vertical, bars are horizontal. */
  readonly kind: 'lines' | 'columns' | 'bars'
  readonly isStacked: boolean
  readonly metric: Metric
  readonly categories: readonly string[]
  readonly areDays: boolean
  readonly series: readonly Series[]
  /** Says what the chart leaves out. */
  readonly note: string | undefined
}

export type Series = {
  readonly name: string
  readonly values: readonly (number | null)[]
  /** `before` is the previous period; `rest` is the sum of all that have no series of their own. */
  readonly role: 'main' | 'before' | 'rest'
}

type Given = {
  readonly cube: Cube
  readonly start: Day
  readonly end: Day
  readonly dimensions: readonly string[]
  readonly metrics: readonly string[]
  readonly rows: readonly Row[]
  /** The matching row of the previous period for each row, when periods are compared. */
  readonly previous: readonly (Row | undefined)[] | undefined
  readonly charted: string
}

/** Chooses the chart for a query and its rows. A query without dimensions has none. */
export function planChart(given: Given): ChartPlan | undefined {
  const metric = findField(given.charted, given.cube.metrics)
  const [first, second] = given.dimensions
  if (!metric || first === undefined || given.rows.length === 0) return undefined
  if (second === undefined) return planOne(given, metric, first)
  const isOverTime = first !== 'Day' && (second === 'Day' || second === 'Time')
  return isOverTime ? planTwo(given, metric, second, first) : planTwo(given, metric, first, second)
}

function planOne({ rows, previous, start, end }: Given, metric: Metric, dimension: string): ChartPlan {
  const sorted =
    dimension === 'Time' ? rows.toSorted((a, b) => (textIn(a, dimension) < textIn(b, dimension) ? -1 : 1)) : rows
  const shown = dimension === 'Day' || dimension === 'Time' ? sorted : sorted.slice(0, barsMax)
  const categories = dimension === 'Day' ? daysFrom(start, end) : shown.map((row) => textIn(row, dimension))
  const indexOf = new Map(rows.map((row, index) => [textIn(row, dimension), index]))
  const valuesOf = (found: readonly (Row | undefined)[]) =>
    categories.map((category) => readMetric(found[indexOf.get(category) ?? -1], metric.name))
  return {
    kind: dimension === 'Day' ? 'lines' : dimension === 'Time' ? 'columns' : 'bars',
    isStacked: false,
    metric,
    categories,
    areDays: dimension === 'Day',
    series: [
      { name: metric.name, values: valuesOf(rows), role: 'main' },
      ...(previous ? [{ name: 'Previous period', values: valuesOf(previous), role: 'before' as const }] : []),
    ],
    note: shown.length < rows.length ? `The first ${shown.length} of ${rows.length} rows` : undefined,
  }
}

/** The values of `along` are on the axis; the largest values of `by` have a series each. */
function planTwo({ rows, cube, metrics, start, end }: Given, metric: Metric, along: string, by: string): ChartPlan {
  const isOverDays = along === 'Day'
  const isOverTime = isOverDays || along === 'Time'
  const isStacked = adds(metric)
  // Ranked by a metric that can be added up: a rate may be high where there is almost no traffic.
  const measure = isStacked ? metric : (metrics.map((name) => findField(name, cube.metrics)).find(adds) ?? metric)
  const names = rank(rows, by, measure.name)
  const groups = isOverDays
    ? daysFrom(start, end)
    : isOverTime
      ? rank(rows, along, measure.name).toSorted()
      : rank(rows, along, measure.name)
  const categories = isOverTime ? groups : groups.slice(0, isStacked ? barsMax : groupsMax)
  const shown = names.slice(0, isStacked || isOverDays ? seriesMax : Math.floor(seriesMax / 2))
  const values = new Map(
    rows.map((row) => [JSON.stringify([textIn(row, along), textIn(row, by)]), readMetric(row, metric.name)]),
  )
  const valueAt = (category: string, name: string): number | null =>
    values.get(JSON.stringify([category, name])) ?? null
  const others = names.slice(shown.length)
  const rest: Series = {
    name: `${others.length} others`,
    values: categories.map((category) => sum(others.map((name) => valueAt(category, name)))),
    role: 'rest',
  }
  const left = [
    ...(categories.length < groups.length ? [`the largest ${categories.length} of ${groups.length} for ${along}`] : []),
    ...(!isStacked && others.length > 0 ? [`the largest ${shown.length} of ${names.length} for ${by}`] : []),
  ].join(', ')
  return {
    kind: isOverDays && !isStacked ? 'lines' : isOverTime ? 'columns' : 'bars',
    isStacked,
    metric,
    categories,
    areDays: isOverDays,
    series: [
      ...shown.map((name) => ({
        name,
        values: categories.map((category) => valueAt(category, name)),
        role: 'main' as const,
      })),
      ...(isStacked && others.length > 0 ? [rest] : []),
    ],
    note: left === '' ? undefined : left.charAt(0).toUpperCase() + left.slice(1),
  }
}

const adds = (metric: Metric | undefined): metric is Metric => metric?.formula.kind === 'sum'

function rank(rows: readonly Row[], dimension: string, metric: string): readonly string[] {
  const sums = new Map<string, number>()
  for (const row of rows) {
    const name = textIn(row, dimension)
    sums.set(name, (sums.get(name) ?? 0) + (readMetric(row, metric) ?? 0))
  }
  return [...sums].toSorted(([, a], [, b]) => b - a).map(([name]) => name)
}

const textIn = (row: Row, dimension: string): string => String(row[dimension] ?? noValue)

/** All days, including those without facts, where a line has a gap. */
const daysFrom = (start: Day, end: Day): readonly Day[] =>
  Array.from({ length: countDays(start, end) }, (_, index) => addDays(start, index))

function sum(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : known.reduce((total, value) => total + value, 0)
}

/** The text alternative of a chart. */
export function describeChart({ kind, metric, categories, series, areDays }: ChartPlan): string {
  const shape = { lines: 'Line chart', columns: 'Column chart', bars: 'Bar chart' }[kind]
  const names = series.map(({ name }) => name).join(', ')
  const range = areDays ? ` by day, ${categories[0]} to ${categories.at(-1)}` : `, ${categories.length} categories`
  return `${shape} of ${metric.name}${range}${series.length > 1 ? `. Series: ${names}` : ''}. The table below has the numbers.`
}
