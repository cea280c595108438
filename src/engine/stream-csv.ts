import type { ClickHouseSettings } from '@clickhouse/client'
import type { Readable } from 'node:stream'
import type { Statement } from '../query/compile.ts'
import type { Engine } from './engine.ts'
import { toEngineError } from './errors.ts'

export type ExportLimits = {
  readonly secondsMax: number
  readonly memoryBytesMax: number
}

type Options = {
  /** Names the query in the engine's own records, where its progress can be read. */
  readonly queryId: string
  readonly limits: ExportLimits
  readonly signal: AbortSignal
}

/**
 * Runs a statement and returns its rows as CSV with a header, packed with gzip by the engine, because packing
 * would keep Node busier than all the rest. A stream that breaks off is an error of the stream; whoever reads it must also see the end of
 * the gzip, which a stream cut in silence does not have.
 */
export async function streamCsv(engine: Engine, { sql, params }: Statement, options: Options): Promise<Readable> {
  const { queryId, limits, signal } = options
  try {
    signal.throwIfAborted()
    const { stream } = await engine.reader().exec({
      query: `${sql}\nFORMAT CSVWithNames`,
      query_params: params,
      query_id: queryId,
      abort_signal: signal,
      decompress_response_stream: false,
      http_headers: { 'accept-encoding': 'gzip' },
      clickhouse_settings: {
        ...exportSettings(limits),
        log_comment: queryId,
        enable_http_compression: 1,
        http_zlib_compression_level: '1',
      },
    })
    return stream
  } catch (error) {
    throw toEngineError(error)
  }
}

/** How an export runs, and how its rows look. */
export const exportSettings = ({ secondsMax, memoryBytesMax }: ExportLimits): ClickHouseSettings => ({
  readonly: '2',
  max_execution_time: secondsMax,
  // One thread an export leaves the others to those who wait for an answer.
  max_threads: 1,
  // Where the engine may set it (it needs CAP_SYS_NICE), the system gives them the processor first, too.
  os_thread_priority: '19',
  max_memory_usage: String(memoryBytesMax),
  // What does not fit goes to disk long before the limit; merging it back needs room too.
  max_bytes_before_external_group_by: String(Math.floor(memoryBytesMax / 3)),
  max_bytes_before_external_sort: String(Math.floor(memoryBytesMax / 3)),
  // Otherwise a second run sizes its tables by the first one's statistics, and fails for want of memory.
  collect_hash_table_stats_during_aggregation: 0,
  cancel_http_readonly_queries_on_client_close: 1,
  format_csv_null_representation: '',
  output_format_csv_crlf_end_of_line: 1,
  output_format_decimal_trailing_zeros: 0,
})
