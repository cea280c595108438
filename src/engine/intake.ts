import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { Cube } from '../catalog/cube.ts'
import { sketch, sketchPrecision } from '../catalog/sketch.ts'
import type { Engine } from './engine.ts'
import { toEngineError } from './errors.ts'

type AccountDay = { readonly account: string; readonly day: string; readonly rows: number }

/** Writes CSV with a header under a load's id, and tells what it held. Nobody sees it until the load is published. */
export async function writeFacts(engine: Engine, cube: Cube, load: number, csv: Readable): Promise<AccountDay[]> {
  try {
    const insert = await engine.writer().exec({
      query: insertStatement(cube),
      query_params: { load },
      values: csv,
      clickhouse_settings: {
        // Facts come in the order of their days, so a block touches few partitions; a year of small days touches many.
        max_partitions_per_insert_block: '0',
        input_format_null_as_default: 0,
        max_insert_threads: '1',
        wait_end_of_query: 1,
      },
    })
    await finished(insert.stream.resume())
    return await readContents(engine, cube, load)
  } catch (error) {
    throw toEngineError(error)
  }
}

function insertStatement({ table, dimensions, measures }: Cube): string {
  const columns = ['account', ...dimensions.map(({ column }) => column), ...measures.map(({ column }) => column)]
  const types = [
    'account String',
    ...dimensions.map(({ column, type }) => `${column} ${type === 'date' ? 'Date' : 'String'}`),
    ...measures.map(({ column, type }) => `${column} ${type === 'money' ? 'Decimal(18, 6)' : 'UInt64'}`),
    'devices String',
  ]
  // Only hashes of devices are kept, and only inside the sketch.
  const hashes =
    "arrayMap(device -> cityHash64(device), arrayFilter(device -> device != '', splitByChar(';', devices)))"
  return [
    `INSERT INTO ${table} (load, ${columns.join(', ')}, devices)`,
    `SELECT {load:UInt64}, ${columns.join(', ')}, arrayReduce('${sketch}State(${sketchPrecision})', ${hashes})`,
    `FROM input('${types.join(', ')}')`,
    'FORMAT CSVWithNames',
  ].join('\n')
}

async function readContents(engine: Engine, { table }: Cube, load: number): Promise<AccountDay[]> {
  const result = await engine.writer().query({
    query: `SELECT account, day, count() AS rows FROM ${table} WHERE load = {load:UInt64} GROUP BY account, day`,
    query_params: { load },
    format: 'JSONEachRow',
    clickhouse_settings: { output_format_json_quote_64bit_integers: 0 },
  })
  return result.json<AccountDay>()
}
