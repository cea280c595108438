import type { Cubes } from '../catalog/cubes.ts'
import type { Operator } from '../query/query.ts'

export type CubeName = keyof Cubes
export type DimensionName<Cube extends CubeName> = Cubes[Cube]['dimensions'][number]['name']
export type MetricName<Cube extends CubeName> = Cubes[Cube]['metrics'][number]['name']

export type Filter<Cube extends CubeName> =
  | { readonly field: DimensionName<Cube>; readonly operator: Extract<Operator, '=' | 'like'>; readonly value: string }
  | {
      readonly field: DimensionName<Cube>
      readonly operator: Extract<Operator, 'in' | 'not in'>
      readonly values: readonly string[]
    }

export type Sort<Cube extends CubeName> = {
  readonly field: DimensionName<Cube> | MetricName<Cube>
  readonly order?: 'asc' | 'desc'
}

/** A query of a cube. Days are UTC days, yyyy-MM-DD, both included. */
export type Query<
  Cube extends CubeName = CubeName,
  Dimension extends DimensionName<Cube> = DimensionName<Cube>,
  Metric extends MetricName<Cube> = MetricName<Cube>,
> = {
  readonly start: string
  readonly end: string
  readonly dimensions: readonly Dimension[]
  readonly metrics: readonly Metric[]
  readonly filters?: readonly Filter<Cube>[]
  readonly sort?: readonly Sort<Cube>[]
  readonly limit?: number
}

/** A row of an answer or a report. Missing values and ratios with a denominator of 0 are null. */
export type Row<Dimension extends string = string, Metric extends string = string> = {
  readonly [Name in Dimension]: string | null
} & { readonly [Name in Metric]: number | null }
