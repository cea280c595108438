import type { Cube } from '../../../src/catalog/cube.ts'
import type { Day } from '../../../src/query/day.ts'
import type { Operator } from '../../../src/query/query.ts'

/** The last days up to yesterday, because today is not over; or two fixed days. */
export type Dates = { readonly last: number } | { readonly start: Day; readonly end: Day }

export type FilterDraft = {
  readonly field: string
  readonly operator: Operator
  /** One value for `=` and `like`, at least one for `in` and `not in`. An empty string means a missing value. */
  readonly values: readonly string[]
}

export type SortDraft = { readonly field: string; readonly order: 'asc' | 'desc' }

/** A query while it is being edited. Its fields exist in the cube; it may exceed any limit. */
export type QueryDraft = {
  readonly cube: Cube
  readonly dates: Dates
  readonly dimensions: readonly string[]
  readonly metrics: readonly string[]
  readonly filters: readonly FilterDraft[]
  /** When empty, `sortOf` chooses the order. */
  readonly sort: readonly SortDraft[]
  readonly limit: number | undefined
}
