import type { Formula, Metric } from '../catalog/cube.ts'
import type { Filter, Query } from '../query/query.ts'

/** All values are bound, and identifiers come from the catalog. */
export type Statement = {
  readonly sql: string
  readonly params: Readonly<Record<string, unknown>>
}

/** The differences between the SQL of the engines. */
export type Dialect = {
  readonly quoteName: (name: string) => string
  /** A day as text, yyyy-MM-DD. */
  readonly dayAsText: (day: string) => string
  /** A sum as a floating-point number, because dividing decimals cuts digits off. */
  readonly asFloat: (sum: string) => string
  readonly text: (parameter: string) => string
  /** Compares a text with the values of a parameter, of which there are `count`. */
  readonly isIn: (text: string, parameter: string, count: number) => string
  /** Compiles a pattern of `like`, in which a backslash takes the next character literally. */
  readonly matchLike: (pattern: string) => PatternMatch
  readonly limit: (parameter: string) => string
}

export type PatternMatch = {
  /** The condition that a text matches the pattern in a parameter. */
  readonly matches: (text: string, parameter: string) => string
  /** The pattern in the engine's syntax. */
  readonly pattern: string
}

/** The columns that a query needs for each of its groups. */
export type Needs = {
  /** Sums, named like the measures. */
  readonly measures: readonly string[]
  /** Distinct devices, named `uniques`. */
  readonly hasUniques: boolean
  /** Distinct devices per day with this measure above zero, added up over the days; named `daily_<measure>`. */
  readonly dailyMeasures: readonly string[]
}

export function needsOf({ cube, metrics, sorts }: Query): Needs {
  const sorted = sorts.flatMap(({ field }) => ('formula' in field ? [field] : []))
  const formulas = [...metrics, ...sorted].map((metric: Metric) => metric.formula)
  const summed = new Set(
    formulas.flatMap((formula) => {
      if (formula.kind === 'sum') return [formula.measure]
      return formula.kind === 'ratio' ? [formula.numerator, formula.denominator] : []
    }),
  )
  const daily = formulas.flatMap((formula) => (formula.kind === 'dailyUniques' ? [formula.measure] : []))
  return {
    measures: cube.measures.map(({ column }) => column).filter((column) => summed.has(column)),
    hasUniques: formulas.some(({ kind }) => kind === 'uniques'),
    dailyMeasures: [...new Set(daily)],
  }
}

/**
 * Compiles the outer half of a query, which is the same for both engines: formulas over the sums of each group, in a
 * total order. The inner half, `sums`, and the expression for the number of loaded days, `days`, differ by engine.
 */
export function compileAnswer(query: Query, { sums, days }: { sums: string; days: string }, dialect: Dialect): string {
  const isByDay = query.dimensions.some(({ type }) => type === 'date')
  const compile = (formula: Formula): string => {
    switch (formula.kind) {
      case 'sum':
        return `sums.${formula.measure}`
      case 'ratio': {
        const times = formula.times === 1 ? '' : `${formula.times} * `
        return `${times}${dialect.asFloat(`sums.${formula.numerator}`)} / nullIf(${dialect.asFloat(`sums.${formula.denominator}`)}, 0)`
      }
      case 'uniques':
        return 'sums.uniques'
      case 'dailyUniques':
        // Grouped by day, the average over the days is the value itself.
        return isByDay ? `sums.daily_${formula.measure}` : `sums.daily_${formula.measure} / nullIf(${days}, 0)`
    }
  }
  const compileField = (field: Query['sorts'][number]['field']): string => {
    if ('formula' in field) return compile(field.formula)
    return field.type === 'date' ? `sums.${field.column}` : `nullIf(sums.${field.column}, '')`
  }

  const fields = [...query.dimensions, ...query.metrics]
  const select = fields.map((field) => `${compileField(field)} AS ${dialect.quoteName(field.name)}`)
  const sorted = new Set(query.sorts.map(({ field }) => field))
  const rest = query.dimensions.filter((dimension) => !sorted.has(dimension))
  const orderBy = [...query.sorts, ...rest.map((field) => ({ field, direction: 'asc' as const }))].map(
    ({ field, direction }) => `${compileField(field)} ${direction.toUpperCase()} NULLS LAST`,
  )
  return [
    `SELECT\n${indent(select.join(',\n'))}`,
    `FROM (\n${indent(sums)}\n) AS sums`,
    ...(orderBy.length > 0 ? [`ORDER BY ${orderBy.join(', ')}`] : []),
    `LIMIT ${dialect.limit('rows')}`,
  ].join('\n')
}

/** The conditions of all filters, on the columns of facts. */
export const compileFilters = ({ filters }: Query, dialect: Dialect): string[] =>
  filters.map((filter, index) => {
    const { column, type } = filter.dimension
    return compileFilter(filter, index, type === 'date' ? dialect.dayAsText(column) : column, dialect)
  })

/** The conditions of the filters on Day, on the text of a day. */
export const compileDayFilters = ({ filters }: Query, day: string, dialect: Dialect): string[] =>
  filters.flatMap((filter, index) =>
    filter.dimension.type === 'date' ? [compileFilter(filter, index, day, dialect)] : [],
  )

function compileFilter({ operator, values }: Filter, index: number, text: string, dialect: Dialect): string {
  const parameter = `filter${index}`
  switch (operator) {
    case '=':
      return `${text} = ${dialect.text(parameter)}`
    case 'like':
      return dialect.matchLike(values[0] ?? '').matches(text, parameter)
    case 'in':
      return dialect.isIn(text, parameter, values.length)
    case 'not in':
      return `NOT (${dialect.isIn(text, parameter, values.length)})`
  }
}

export const bindFilters = ({ filters }: Query, dialect: Dialect): Record<string, unknown> =>
  Object.fromEntries(filters.map((filter, index) => [`filter${index}`, bindFilter(filter, dialect)]))

function bindFilter({ operator, values }: Filter, dialect: Dialect): unknown {
  if (operator === 'like') return dialect.matchLike(values[0] ?? '').pattern
  return operator === '=' ? values[0] : values
}

export const indent = (text: string): string => text.replaceAll(/^/gm, '  ')
