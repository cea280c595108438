import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { Cube } from '../catalog/cube.ts'
import type { Day } from '../query/day.ts'
import {
  compileIntake,
  tableFunctionOf,
  type FileFormat,
  type IntakeColumn,
  type IntakeRules,
} from './compile-intake.ts'
import { ask } from './ask.ts'
import type { Engine } from './engine.ts'
import { toEngineError } from './errors.ts'

type IntakeFile = {
  readonly load: number
  /** Which of the load's files it is. */
  readonly file: number
  readonly format: FileFormat
  readonly columns: readonly IntakeColumn[]
  /** The bytes themselves, unpacked, or where the engine finds them. */
  readonly content: Readable | { readonly address: string }
}

type Options = IntakeRules & { readonly queryId: string; readonly signal: AbortSignal }

/** To make machine code of statements that run once or twice a file takes longer than it saves. */
const asItStands = { compile_expressions: 0, compile_aggregate_expressions: 0, compile_sort_description: 0 } as const

/** Takes a file in under a load's id. Nobody sees it until the load is published, nor ever if it has faults. */
export async function takeIn(
  engine: Engine,
  cube: Cube,
  { load, file, format, columns, content }: IntakeFile,
  { queryId, signal, ...rules }: Options,
): Promise<void> {
  const isStream = !('address' in content)
  const { sql, params } = compileIntake(
    cube,
    columns,
    rules,
    isStream ? 'stream' : { format, address: content.address },
  )
  try {
    const insert = await engine.writer().exec({
      query: isStream ? `${sql}\nFORMAT ${format}` : sql,
      query_params: { ...params, load, file },
      query_id: queryId,
      abort_signal: signal,
      ...(isStream && { values: content }),
      clickhouse_settings: {
        // One stream from file to table keeps the rows in their order, so that a fault is reported where it stands.
        max_insert_threads: '1',
        parallelize_output_from_storages: 0,
        input_format_parallel_parsing: 0,
        input_format_parquet_preserve_order: 1,
        // Like a report, a load gives way to whoever waits for an answer.
        os_thread_priority: '19',
        // A block of a day's facts touches few partitions; a year of small days touches many.
        max_partitions_per_insert_block: '0',
        wait_end_of_query: 1,
        // A server's own limits may tell it to stop half-way and to call that a success.
        max_execution_time: 0,
        timeout_overflow_mode: 'throw',
        read_overflow_mode: 'throw',
        ...asItStands,
        // Everything is read as it stands, and judged by us.
        input_format_skip_unknown_fields: 0,
        input_format_null_as_default: 1,
        input_format_csv_empty_as_default: 0,
        input_format_csv_trim_whitespaces: 0,
        input_format_csv_skip_trailing_empty_lines: 1,
        input_format_with_names_use_header: 1,
        format_csv_null_representation: noNull,
        input_format_json_read_numbers_as_strings: 1,
        input_format_json_read_bools_as_strings: 1,
        input_format_json_read_arrays_as_strings: 0,
        input_format_json_read_objects_as_strings: 0,
        input_format_defaults_for_omitted_fields: 1,
      },
    })
    await finished(insert.stream.resume())
    if (isStream && !content.readableEnded) throw new Error('The engine did not read the file to its end.')
  } catch (error) {
    throw toEngineError(error)
  }
}

/** CSV has no null: a text that no field has stands for it. */
const noNull = '\u0001\u0002null\u0002\u0001'

export type Faults = {
  readonly count: number
  /** As many as are shown. */
  readonly first: readonly {
    readonly file: number
    readonly row: number
    readonly column: string
    readonly reason: string
  }[]
}

/** The intake keeps as many of every block. */
export const faultsShown = 20

/** What is wrong with the rows of a load, and what is only strange. */
export async function readFaults(
  engine: Engine,
  load: number,
): Promise<{ readonly faults: Faults; readonly warnings: Faults }> {
  type Row = { kind: string; file: number; count: number; first: { row: number; field: string; reason: string }[] }
  const files = await ask<Row>(engine, {
    query: `SELECT kind, file, toFloat64(sum(count)) AS count,
        arraySlice(arraySort(groupArrayArray(first)), 1, {shown:UInt8}) AS first
      FROM load_faults WHERE load = {load:UInt64} GROUP BY kind, file ORDER BY file`,
    query_params: { load, shown: faultsShown },
    clickhouse_settings: {
      ...asItStands,
      output_format_json_quote_64bit_integers: 0,
      output_format_json_named_tuples_as_objects: 1,
    },
  })
  const of = (kind: string): Faults => {
    const found = files.filter((file) => file.kind === kind)
    return {
      count: found.reduce((sum, { count }) => sum + count, 0),
      first: found
        .flatMap(({ file, first }) => first.map(({ row, field, reason }) => ({ file, row, column: field, reason })))
        .slice(0, faultsShown),
    }
  }
  return { faults: of('fault'), warnings: of('warning') }
}

/** What a load holds. */
export async function readContents(
  engine: Engine,
  { table }: Cube,
  load: number,
): Promise<readonly { readonly account: string; readonly day: Day; readonly rows: number }[]> {
  return ask(engine, {
    query: `SELECT account, day, count() AS rows FROM ${table} WHERE load = {load:UInt64} GROUP BY account, day`,
    query_params: { load },
    clickhouse_settings: { ...asItStands, output_format_json_quote_64bit_integers: 0 },
  })
}

/** The columns of a file that the engine reads by itself. */
export async function describeAddress(
  engine: Engine,
  { address, format }: { readonly address: string; readonly format: FileFormat },
  signal: AbortSignal,
): Promise<readonly { readonly name: string; readonly isList: boolean }[]> {
  const rows = await ask<{ name: string; type: string }>(engine, {
    query: `DESCRIBE TABLE ${tableFunctionOf(address)}({address:String}, {format:String})`,
    query_params: { address, format },
    abort_signal: signal,
    clickhouse_settings: { schema_inference_use_cache_for_url: 0, schema_inference_use_cache_for_s3: 0 },
  })
  // In CSV a list is text, whatever the engine takes it for.
  return rows.map(({ name, type }) => ({ name, isList: format !== 'CSVWithNames' && type.startsWith('Array') }))
}

/** What nobody but the engine sees of a file at an address, unpacked; it is fetched once more for that. */
export async function measureAddress(
  engine: Engine,
  address: string,
  signal: AbortSignal,
): Promise<{ readonly bytes: number; readonly checksum: string; readonly isQuoteOpen: boolean }> {
  const [row] = await ask<{ bytes: number; sum: string; quotes: number }>(engine, {
    query: `SELECT toFloat64(sum(length(line) + 1)) AS bytes, hex(sum(sipHash64(line))) AS sum,
        toUInt8(sum(countSubstrings(line, '"')) % 2) AS quotes
      FROM ${tableFunctionOf(address)}({address:String}, 'LineAsString', 'line String')`,
    query_params: { address },
    abort_signal: signal,
  })
  if (!row) throw new Error('The engine returned nothing.')
  return { bytes: row.bytes, checksum: `lines:${row.bytes}:${row.sum}`, isQuoteOpen: row.quotes === 1 }
}
