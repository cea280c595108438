import type { Formula, Measure, Metric } from '../catalog/cube.ts'
import { sketch, sketchPrecision } from '../catalog/sketch.ts'
import type { Day } from './day.ts'
import type { Filter, Query, Sort } from './query.ts'

/** What of the stored facts a query may read: one account's, and of each day only the loads that are visible. */
export type Scope = {
  readonly account: string
  readonly visible: readonly { readonly day: Day; readonly load: number }[]
}

/** SQL whose values are all bound, and whose identifiers come from the catalog; an intake quotes those of its file, too. */
export type Statement = {
  readonly sql: string
  readonly params: Readonly<Record<string, unknown>>
}

/** Compiles a checked query to the statement that answers it, at most `rows` rows of it. */
export function compileQuery(query: Query, scope: Scope, rows: number): Statement {
  const { dimensions, metrics, filters } = query
  const params: Record<string, unknown> = {
    account: scope.account,
    days: scope.visible.map(({ day }) => day),
    loads: scope.visible.map(({ load }) => load),
    rows,
  }
  filters.forEach((filter, index) => {
    params[`filter${index}`] = bindFilter(filter)
  })

  const needed = neededMetrics(query)
  const isByDay = dimensions.some(({ column }) => column === 'day')
  const isTwoLevel = !isByDay && needed.some(({ formula }) => formula.kind === 'dailyUniques')

  const groupBy = dimensions.length > 0 ? `GROUP BY ${dimensions.map(({ column }) => column).join(', ')}` : ''
  const select = [
    ...dimensions.map(
      ({ name, column, type }) => `${type === 'date' ? column : `nullIf(${column}, '')`} AS \`${name}\``,
    ),
    ...metrics.map((metric) => `${compileFormula(metric.formula, query, isTwoLevel)} AS \`${metric.name}\``),
  ]
  const from = isTwoLevel
    ? `(\n${indent(compileDailyFacts(query, needed))}\n)`
    : `${query.cube.table} AS facts\n${compileWhere(query)}`
  const orderBy = compileOrder(query, isTwoLevel)

  const sql = [
    `SELECT\n${indent(select.join(',\n'))}`,
    `FROM ${from}`,
    groupBy,
    orderBy.length > 0 ? `ORDER BY ${orderBy.join(', ')}` : '',
    'LIMIT {rows:UInt64}',
  ]
  return { sql: sql.filter((line) => line !== '').join('\n'), params }
}

/**
 * Distinct devices of a day cannot be averaged in one step, so the facts are first folded to one row a group and day,
 * under the names that the facts' own columns have: the formulas above it do not notice.
 */
function compileDailyFacts(query: Query, needed: readonly Metric[]): string {
  const columns = ['facts.day', ...query.dimensions.map(({ column }) => `facts.${column}`)]
  const formulas = needed.map(({ formula }) => formula)
  const summed = measuresOf(formulas, query.cube.measures).map((column) => `sum(facts.${column}) AS ${column}`)
  const counted = formulas
    .filter((formula) => formula.kind === 'dailyUniques')
    .map(({ measure }) => `${countDevicesWhere(measure)} AS devices_with_${measure}`)
  const merged = formulas.some(({ kind }) => kind === 'uniques')
    ? [`${sketch}MergeState(${sketchPrecision})(facts.devices) AS devices`]
    : []
  return [
    `SELECT\n${indent([...columns.map((column) => `${column} AS ${column.slice('facts.'.length)}`), ...summed, ...new Set(counted), ...merged].join(',\n'))}`,
    `FROM ${query.cube.table} AS facts`,
    compileWhere(query),
    `GROUP BY ${columns.join(', ')}`,
  ].join('\n')
}

function compileFormula(formula: Formula, query: Query, isTwoLevel: boolean): string {
  const isMoney = (column: string) =>
    query.cube.measures.some((each) => each.column === column && each.type === 'money')
  // Division of the engine's decimals keeps their scale and cuts the rest off, so money is divided as a float.
  const asNumber = (column: string) => (isMoney(column) ? `toFloat64(sum(${column}))` : `sum(${column})`)

  switch (formula.kind) {
    case 'sum':
      return `sum(${formula.measure})`
    case 'ratio': {
      const times = formula.times === 1 ? '' : `${formula.times} * `
      const denominator = `sum(${formula.denominator})`
      return `if(${denominator} = 0, NULL, ${times}${asNumber(formula.numerator)} / ${asNumber(formula.denominator)})`
    }
    case 'uniques':
      return `${sketch}Merge(${sketchPrecision})(devices)`
    case 'dailyUniques': {
      if (!isTwoLevel) return countDevicesWhere(formula.measure)
      const days = compileDayCount(query.filters)
      return `if(${days} = 0, NULL, sum(devices_with_${formula.measure}) / ${days})`
    }
  }
}

const countDevicesWhere = (measure: string): string =>
  `${sketch}MergeIf(${sketchPrecision})(facts.devices, facts.${measure} > 0)`

/** How many of the loaded days the query is about: those that its filters on Day, if any, let through. */
function compileDayCount(filters: readonly Filter[]): string {
  const conditions = filters.flatMap((filter, index) =>
    filter.dimension.column === 'day' ? [compileFilter(filter, index, 'day')] : [],
  )
  if (conditions.length === 0) return 'arrayUniq({days:Array(Date)})'
  return `arrayUniq(arrayFilter(day -> ${conditions.join(' AND ')}, {days:Array(Date)}))`
}

function compileWhere({ filters }: Query): string {
  const conditions = [
    'facts.account = {account:String}',
    '(facts.day, facts.load) IN arrayZip({days:Array(Date)}, {loads:Array(UInt64)})',
    ...filters.map((filter, index) => compileFilter(filter, index, `facts.${filter.dimension.column}`)),
  ]
  return `WHERE ${conditions.join('\n  AND ')}`
}

function compileFilter({ dimension, operator }: Filter, index: number, column: string): string {
  const text = dimension.type === 'date' ? `toString(${column})` : column
  const type = operator === '=' || operator === 'like' ? 'String' : 'Array(String)'
  return `${text} ${operator.toUpperCase()} {filter${index}:${type}}`
}

function bindFilter({ operator, values }: Filter): unknown {
  switch (operator) {
    case '=':
      return values[0]
    case 'like':
      return normalisePattern(values[0] ?? '')
    case 'in':
    case 'not in':
      return values
  }
}

/** A backslash takes the next character literally; the engine would keep one that stands before an ordinary character. */
const normalisePattern = (pattern: string): string =>
  pattern.replaceAll(/\\(.)/gsu, (pair, character: string) => ('%_\\'.includes(character) ? pair : character))

/** The sort fields, then the remaining dimensions, so that rows always come in the same order. */
function compileOrder(query: Query, isTwoLevel: boolean): string[] {
  const sorted = new Set(query.sorts.map(({ field }) => field))
  const rest = query.dimensions.filter((dimension) => !sorted.has(dimension))
  const sorts: Sort[] = [...query.sorts, ...rest.map((field) => ({ field, direction: 'asc' as const }))]
  return sorts.map(({ field, direction }) => {
    const isSelected = !('formula' in field) || query.metrics.includes(field)
    const expression = isSelected ? `\`${field.name}\`` : compileFormula(field.formula, query, isTwoLevel)
    return `${expression} ${direction.toUpperCase()} NULLS LAST`
  })
}

/** The metrics that are selected, and those that are only sorted by. */
function neededMetrics({ metrics, sorts }: Query): readonly Metric[] {
  const sorted = sorts.flatMap(({ field }) => ('formula' in field ? [field] : []))
  return [...new Set([...metrics, ...sorted])]
}

function measuresOf(formulas: readonly Formula[], measures: readonly Measure[]): readonly string[] {
  const used = new Set(
    formulas.flatMap((formula) => {
      if (formula.kind === 'sum') return [formula.measure]
      return formula.kind === 'ratio' ? [formula.numerator, formula.denominator] : []
    }),
  )
  return measures.map(({ column }) => column).filter((column) => used.has(column))
}

const indent = (text: string): string => text.replaceAll(/^/gm, '  ')
