import type { Cube, Dimension, Metric } from '../catalog/cube.ts'
import type { Day } from './day.ts'

export const operators = ['=', 'like', 'in', 'not in'] as const
export type Operator = (typeof operators)[number]

/** Operators of other tools, and those that do the same here. Only for suggestions. */
export const operatorSynonyms: Readonly<Record<string, Operator>> = {
  '==': '=',
  '===': '=',
  eq: '=',
  equals: '=',
  is: '=',
  '!=': 'not in',
  '<>': 'not in',
  ne: 'not in',
  neq: 'not in',
  not: 'not in',
  'is not': 'not in',
  'not equals': 'not in',
  notin: 'not in',
  not_in: 'not in',
  nin: 'not in',
  'any of': 'in',
  contains: 'like',
  matches: 'like',
  ilike: 'like',
  'starts with': 'like',
  'ends with': 'like',
}

export type Filter = {
  readonly dimension: Dimension
  readonly operator: Operator
  /** One value for `=` and `like`, at least one for `in` and `not in`. */
  readonly values: readonly string[]
}

export type Sort = {
  readonly field: Dimension | Metric
  readonly direction: 'asc' | 'desc'
}

/** A query as it is sent. Names can be in any case, and lists can be text with commas. */
export type QueryBody = {
  readonly start: Day
  readonly end: Day
  readonly dimensions: readonly string[] | string
  readonly metrics: readonly string[] | string
  readonly filters?: readonly {
    readonly field: string
    readonly operator: string
    readonly value?: string
    readonly values?: readonly string[]
  }[]
  readonly sort?: readonly { readonly field: string; readonly order?: string }[]
  readonly limit?: number
  readonly dataset?: string
}

/** A request body that has passed every check. */
export type Query = {
  readonly cube: Cube
  readonly start: Day
  readonly end: Day
  readonly dimensions: readonly Dimension[]
  readonly metrics: readonly Metric[]
  readonly filters: readonly Filter[]
  readonly sorts: readonly Sort[]
  readonly limit: number
}
