import type { QueryAnswer } from '../../../src/contract/answers.ts'
import type { QueryBody } from '../../../src/query/query.ts'
import { request, searchOf } from './request.ts'

export type { QueryAnswer, QueryBody }

/** Values by field name: dimensions are texts, metrics are numbers. */
export type Row = QueryAnswer['data'][number]

/** Runs a query. `cube` is one of its two names. */
export const runQuery = (cube: string, body: QueryBody, signal: AbortSignal): Promise<QueryAnswer> =>
  request('POST', `/query${searchOf({ cube })}`, { body, signal })
