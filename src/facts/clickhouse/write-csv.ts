import type { Writable } from 'node:stream'
import type { ClickHouseSettings } from '@clickhouse/client'
import type { Statement } from '../compile.ts'
import type { ExportOptions, MadeCsv } from '../facts.ts'
import { packCsv } from '../pack-csv.ts'
import type { Server } from './connect.ts'
import { queryIdOf } from './query-ids.ts'
import { secondsOf, send } from './send.ts'
import { watchProgress } from './watch-progress.ts'
import { withDeadline } from '../errors.ts'
import { toFactsError } from './trouble.ts'

/** Runs a statement and writes its rows as compressed CSV, in one pass: memory does not grow with its size. */
export function writeCsv(
  server: Server,
  { sql, params }: Statement,
  target: Writable,
  { id, msMax, memoryMb, signal, onProgress }: ExportOptions & { readonly memoryMb: number },
): Promise<MadeCsv> {
  const queryId = queryIdOf(id)
  return withDeadline({ msMax, signal, toFactsError }, async (signal) => {
    using _ = watchProgress(server, queryId, onProgress)
    const csv = await send(
      server.reader,
      { sql: `${sql}\nFORMAT CSVWithNames`, params },
      { id: queryId, signal, settings: { ...exportSettings({ msMax, memoryMb }), log_comment: id } },
    )
    return packCsv(csv, target, signal)
  })
}

/** How an export runs, and how its rows look. */
const exportSettings = ({ msMax, memoryMb }: { msMax: number; memoryMb: number }): ClickHouseSettings => ({
  readonly: '2',
  max_execution_time: secondsOf(msMax),
  timeout_overflow_mode: 'throw',
  cancel_http_readonly_queries_on_client_close: 1,
  // One thread an export leaves the others to those who wait for an answer.
  max_threads: 1,
  // Where the server may set it (it needs CAP_SYS_NICE), the system gives them the processor first, too.
  os_thread_priority: '19',
  max_memory_usage: String(memoryMb * 2 ** 20),
  // What does not fit goes to disk long before the limit; merging it back needs room too.
  max_bytes_before_external_group_by: String(Math.floor((memoryMb * 2 ** 20) / 3)),
  max_bytes_before_external_sort: String(Math.floor((memoryMb * 2 ** 20) / 3)),
  // Otherwise a second run sizes its tables by the first one's statistics, and fails for want of memory.
  collect_hash_table_stats_during_aggregation: 0,
  format_csv_null_representation: '',
  output_format_csv_crlf_end_of_line: 1,
  // As DuckDB writes money: with six decimals.
  output_format_decimal_trailing_zeros: 1,
})
