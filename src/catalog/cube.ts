/**
 * The types of a cube. Facts hold dimensions and base measures; every metric is a formula over sums of base measures or
 * over the devices seen, so it is right for any grouping.
 */

export type Dimension<Name extends string = string> = {
  readonly name: Name
  /** The column of facts, and of the files that are loaded. */
  readonly column: string
  readonly type: 'date' | 'string'
  readonly description: string
  /** A value, for the files that `adcube load --templates` writes. */
  readonly example: string
}

export type Measure = {
  readonly column: string
  readonly type: 'count' | 'money'
  readonly description: string
}

export type Formula =
  | { readonly kind: 'sum'; readonly measure: string }
  | { readonly kind: 'ratio'; readonly numerator: string; readonly denominator: string; readonly times: number }
  /** Distinct devices over the whole group, across days. */
  | { readonly kind: 'uniques' }
  /** Distinct devices a day among the facts whose `measure` is above zero; over several days, the mean of the days. */
  | { readonly kind: 'dailyUniques'; readonly measure: string }

export type Unit = 'count' | 'currency' | 'fraction' | 'milliseconds' | 'devices' | 'average'

export type Metric<Name extends string = string> = {
  readonly name: Name
  readonly unit: Unit
  readonly description: string
  readonly formula: Formula
}

export type Cube = {
  readonly name: string
  readonly alias: string
  /** The table of its facts in ClickHouse. */
  readonly table: string
  /** The columns that ClickHouse sorts the facts of a load by: those that most queries filter or group by. */
  readonly sortKey: readonly string[]
  readonly description: string
  readonly dimensions: readonly Dimension[]
  readonly measures: readonly Measure[]
  /** Counts of which each is at most the one after it: a click needs an impression. */
  readonly funnels: readonly (readonly string[])[]
  readonly metrics: readonly Metric[]
  /** Words of other tools in lower case, and the names of the fields that they mean here. Only for suggestions. */
  readonly synonyms: Readonly<Record<string, string>>
  /** The metrics of a new query in the console, by name. */
  readonly firstMetrics: readonly string[]
  /** The metrics that have a tile in the console's overview, by name. */
  readonly tiles: readonly [string, ...string[]]
  /** The overview's lists, by their headings: the values of this dimension with the most of the first tile's metric. */
  readonly tops: Readonly<Record<string, string>>
  /** The example of a query in the reference of the API, without its days. */
  readonly example: { readonly summary: string; readonly query: object }
}

export function dimension<Name extends string>(name: Name, description: string, example = 'text'): Dimension<Name> {
  const column = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')
  return { name, column, type: name === 'Day' ? 'date' : 'string', description, example }
}

export const count = (column: string, description: string): Measure => ({ column, type: 'count', description })

export const money = (column: string, description: string): Measure => ({ column, type: 'money', description })

export function metric<N extends string>(name: N, unit: Unit, formula: Formula, description: string): Metric<N> {
  return { name, unit, description, formula }
}

export const sum = (measure: string): Formula => ({ kind: 'sum', measure })

export function ratio(numerator: string, denominator: string, times = 1): Formula {
  return { kind: 'ratio', numerator, denominator, times }
}

export const uniques: Formula = { kind: 'uniques' }

export const dailyUniques = (measure: string): Formula => ({ kind: 'dailyUniques', measure })

/** Writes a formula for readers. */
export function describeFormula(formula: Formula): string {
  switch (formula.kind) {
    case 'sum':
      return `sum(${formula.measure})`
    case 'ratio':
      return `${formula.times === 1 ? '' : `${formula.times} * `}sum(${formula.numerator}) / sum(${formula.denominator})`
    case 'uniques':
      return 'distinct devices over all days of the group'
    case 'dailyUniques':
      return `distinct devices a day where ${formula.measure} > 0, averaged over the loaded days`
  }
}
