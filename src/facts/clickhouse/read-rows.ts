import { text } from 'node:stream/consumers'
import type { Statement } from '../compile.ts'
import type { ReadOptions } from '../facts.ts'
import { gatherRows, type GatheredRows } from '../gather-rows.ts'
import { linesOf } from './ask.ts'
import type { Server } from './connect.ts'
import { queryIdOf } from './query-ids.ts'
import { secondsOf, send } from './send.ts'
import { withDeadline } from '../errors.ts'
import { toFactsError } from './trouble.ts'

export type ReadLimits = { readonly limit: number; readonly msMax: number; readonly memoryMb: number }

/**
 * Runs a statement that reads one row more than the limit. Each row is the JSON text that the server wrote: counts and
 * money reach the caller digit for digit, without a detour through JavaScript's numbers.
 */
export function readRows(
  { reader }: Server,
  { sql, params }: Statement,
  { id, limit, signal, msMax, memoryMb }: ReadOptions & ReadLimits,
): Promise<GatheredRows> {
  return withDeadline({ msMax, signal, toFactsError }, async (signal) => {
    const answer = await send(
      reader,
      { sql: `${sql}\nFORMAT JSONEachRow`, params },
      {
        id: queryIdOf(id),
        signal,
        settings: {
          readonly: '2',
          log_comment: id,
          // Ours is the same; this one is for a server that does not hear that we have hung up.
          max_execution_time: secondsOf(msMax),
          timeout_overflow_mode: 'throw',
          cancel_http_readonly_queries_on_client_close: 1,
          max_memory_usage: String(memoryMb * 2 ** 20),
          max_result_rows: String(limit + 1),
          result_overflow_mode: 'throw',
          // Short queries that change shape with every request have little to win from machine code.
          compile_expressions: 0,
          compile_aggregate_expressions: 0,
          compile_sort_description: 0,
          // An error half-way then comes as an error, not as rows that stop.
          wait_end_of_query: 1,
          output_format_json_quote_64bit_integers: 0,
          output_format_json_quote_decimals: 0,
          output_format_json_quote_denormals: 0,
          output_format_json_escape_forward_slashes: 0,
          output_format_decimal_trailing_zeros: 0,
        },
      },
    )
    return gatherRows(linesOf(await text(answer)), limit)
  })
}
