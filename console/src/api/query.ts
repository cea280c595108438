import type { QueryAnswer } from '../../../src/contract/answers.ts'
import type { QueryBody } from '../../../src/query/query.ts'
import { request, searchOf } from './request.ts'

export type { QueryAnswer, QueryBody }

/** By the names of the fields: dimensions are texts, metrics numbers. */
export type Row = QueryAnswer['data'][number]

/** Rows at once. `cube` is either name of it. */
export const runQuery = (cube: string, body: QueryBody, signal: AbortSignal): Promise<QueryAnswer> =>
  request('POST', `/query${searchOf({ cube })}`, { body, signal })
