import type { Operator } from '../../../src/query/query.ts'
import { request, searchOf } from './request.ts'

/** A query as it is sent: the body of the API's own requests. */
export type QueryBody = {
  readonly start: string
  readonly end: string
  readonly dimensions: readonly string[]
  readonly metrics: readonly string[]
  readonly filters?: readonly FilterBody[]
  readonly sort?: readonly { readonly field: string; readonly order: 'asc' | 'desc' }[]
  readonly limit?: number
}

export type FilterBody = {
  readonly field: string
  readonly operator: Operator
  readonly value?: string
  readonly values?: readonly string[]
}

/** By the names of the fields: dimensions are texts, metrics numbers. */
export type Row = Readonly<Record<string, string | number | null>>

export type QueryAnswer = {
  readonly data: readonly Row[]
  readonly meta: {
    readonly cube: string
    readonly rows: number
    readonly limit: number
    readonly truncated: boolean
    readonly data_through: string | null
  }
}

/** Rows at once. `cube` is either name of it. */
export const runQuery = (cube: string, body: QueryBody, signal: AbortSignal): Promise<QueryAnswer> =>
  request('POST', `/query${searchOf({ cube })}`, { body, signal })
