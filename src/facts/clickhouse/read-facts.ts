import type { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { ClickHouseSettings } from '@clickhouse/client'
import type { Statement } from '../compile.ts'
import { withDeadline } from '../errors.ts'
import { gatherRows, type ExportOptions, type GatheredRows, type MadeCsv, type ReadOptions } from '../facts.ts'
import { packCsv } from '../pack-csv.ts'
import { linesOf, queryIdOf, secondsOf, type Server } from './server.ts'
import { toFactsError } from './trouble.ts'

type Limits = { readonly msMax: number; readonly memoryMb: number }

/** Never reports 100 %, because rows are sorted and sent after they have been read. */
const progressMax = 0.99
const progressMs = 1_000

const limitsOf = ({ msMax, memoryMb }: Limits): ClickHouseSettings => ({
  readonly: '2',
  // We have the same limit; this one is for a server that does not notice that we have hung up.
  max_execution_time: secondsOf(msMax),
  timeout_overflow_mode: 'throw',
  cancel_http_readonly_queries_on_client_close: 1,
  max_memory_usage: String(memoryMb * 2 ** 20),
})

/**
 * Runs a statement that reads one row more than the limit. Rows stay the JSON text that the server wrote, so counts and
 * money keep every digit.
 */
export function readRows(
  server: Server,
  { sql, params }: Statement,
  { id, limit, signal, msMax, memoryMb }: ReadOptions & Limits & { readonly limit: number },
): Promise<GatheredRows> {
  const settings: ClickHouseSettings = {
    ...limitsOf({ msMax, memoryMb }),
    log_comment: id,
    max_result_rows: String(limit + 1),
    result_overflow_mode: 'throw',
    // Compiling short queries that differ with every request costs more than it saves.
    compile_expressions: 0,
    compile_aggregate_expressions: 0,
    compile_sort_description: 0,
    // An error half-way is then reported as an error, and not as the end of the rows.
    wait_end_of_query: 1,
    output_format_json_quote_64bit_integers: 0,
    output_format_json_quote_decimals: 0,
    output_format_json_quote_denormals: 0,
    output_format_json_escape_forward_slashes: 0,
    output_format_decimal_trailing_zeros: 0,
  }
  return withDeadline({ msMax, signal, toFactsError }, async (signal) => {
    const statement = { sql: `${sql}\nFORMAT JSONEachRow`, params }
    const answer = await server.send('reader', statement, { id: queryIdOf(id), signal, settings })
    return gatherRows(linesOf(await text(answer)), limit)
  })
}

/** Runs a statement and writes its rows as compressed CSV. Memory does not grow with its size. */
export function writeCsv(
  server: Server,
  { sql, params }: Statement,
  target: Writable,
  { id, msMax, memoryMb, signal, onProgress }: ExportOptions & Limits,
): Promise<MadeCsv> {
  const spillBytes = String(Math.floor((memoryMb * 2 ** 20) / 3))
  const settings: ClickHouseSettings = {
    ...limitsOf({ msMax, memoryMb }),
    log_comment: id,
    // One thread per export leaves the others to queries.
    max_threads: 1,
    // Queries go first, where the server may set priorities (it needs CAP_SYS_NICE).
    os_thread_priority: '19',
    // Spills long before the limit: merging what was spilled needs memory, too.
    max_bytes_before_external_group_by: spillBytes,
    max_bytes_before_external_sort: spillBytes,
    // Otherwise a second run sizes its tables by the first one's statistics, and runs out of memory.
    collect_hash_table_stats_during_aggregation: 0,
    format_csv_null_representation: '',
    output_format_csv_crlf_end_of_line: 1,
    // Money has six decimals, as DuckDB writes it.
    output_format_decimal_trailing_zeros: 1,
  }
  const queryId = queryIdOf(id)
  return withDeadline({ msMax, signal, toFactsError }, async (signal) => {
    using _ = watchProgress(server, queryId, onProgress)
    const statement = { sql: `${sql}\nFORMAT CSVWithNames`, params }
    return packCsv(await server.send('reader', statement, { id: queryId, signal, settings }), target, signal)
  })
}

/** Reports the share that a statement has read, as the server counts it, until it is disposed of. */
function watchProgress(server: Server, queryId: string, onProgress: (share: number) => void): Disposable {
  let isAsking = false
  let isOver = false
  let reported = 0
  const look = async (): Promise<void> => {
    const sql = `SELECT read_rows / total_rows_approx AS share FROM system.processes
      WHERE query_id = {queryId:String} AND total_rows_approx > 0`
    const [row] = await server.ask<{ share: number }>({ sql, params: { queryId } })
    const share = Math.min(row?.share ?? 0, progressMax)
    if (isOver || share <= reported) return
    reported = share
    onProgress(share)
  }
  const timer = setInterval(() => {
    if (isAsking) return
    isAsking = true
    // An error here is shown by the statement itself.
    look()
      .catch(() => {})
      .finally(() => (isAsking = false))
  }, progressMs)
  return {
    [Symbol.dispose]: () => {
      isOver = true
      clearInterval(timer)
    },
  }
}
