import type { Statement } from '../query/compile.ts'
import type { Engine } from './engine.ts'
import { EngineError, toEngineError } from './errors.ts'

export type ReadLimits = {
  readonly secondsMax: number
  readonly threadsMax: number
  readonly memoryBytesMax: number
}

type Options = {
  /** Names the query in the engine's own records, and the request that asked for it. */
  readonly queryId: string
  readonly rowsMax: number
  readonly limits: ReadLimits
  readonly signal: AbortSignal
}

const graceMs = 5_000

/**
 * Runs a statement and returns its rows, each as the JSON text that the engine wrote: counts and money reach the
 * caller digit for digit, without a detour through JavaScript's numbers.
 */
export async function readRows(engine: Engine, { sql, params }: Statement, options: Options): Promise<string[]> {
  const { queryId, rowsMax, limits, signal } = options
  // The engine keeps to the time limit by itself; this is for one that has stopped altogether.
  const deadline = AbortSignal.timeout(limits.secondsMax * 1_000 + graceMs)
  const aborted = AbortSignal.any([signal, deadline])
  try {
    aborted.throwIfAborted()
    const result = await engine.reader().query({
      query: sql,
      query_params: params,
      query_id: queryId,
      format: 'JSONEachRow',
      abort_signal: aborted,
      clickhouse_settings: {
        readonly: '2',
        log_comment: queryId,
        max_execution_time: limits.secondsMax,
        max_threads: limits.threadsMax,
        max_memory_usage: String(limits.memoryBytesMax),
        max_result_rows: String(rowsMax),
        result_overflow_mode: 'throw',
        cancel_http_readonly_queries_on_client_close: 1,
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
      },
    })
    // The client minds the signal until the answer begins; from here on it is ours to mind.
    aborted.addEventListener('abort', () => result.close(), { once: true })
    const text = await result.text()
    return text.split('\n').filter((line) => line !== '')
  } catch (error) {
    if (signal.aborted) throw new EngineError('cancelled', error)
    if (deadline.aborted) throw new EngineError('timeout', error)
    throw toEngineError(error)
  }
}
