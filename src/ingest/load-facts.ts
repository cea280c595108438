import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { Cube } from '../catalog/cube.ts'
import type { Engine } from '../engine/engine.ts'
import { toEngineError } from '../engine/errors.ts'
import { sketch, sketchPrecision } from '../query/compile.ts'
import { beginLoad, publishLoad, type AccountDay } from '../store/loads.ts'
import type { Store } from '../store/open-store.ts'

type Deps = {
  readonly engine: Engine
  readonly store: Store
  readonly now: () => number
}

/**
 * Loads CSV with a header: `account`, the columns of the cube's dimensions and measures, and `devices` with `;`
 * between them. The days and accounts that it holds are replaced when all of it is stored; until then, and for ever
 * if anything fails, nothing of it can be seen.
 */
export async function loadFacts(deps: Deps, cube: Cube, csv: Readable): Promise<{ readonly rows: number }> {
  const { engine, store, now } = deps
  const id = await beginLoad(store, { cube: cube.name, now: now() })
  try {
    const insert = await engine.writer().exec({
      query: insertStatement(cube),
      query_params: { load: id },
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
    const { days, rows } = await readContents(engine, cube, id)
    await publishLoad(store, { id, cube: cube.name, days, rows, now: now() })
    return { rows }
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

async function readContents(
  engine: Engine,
  { table }: Cube,
  load: number,
): Promise<{ readonly days: readonly AccountDay[]; readonly rows: number }> {
  const result = await engine.writer().query({
    query: `SELECT account, day, count() AS rows FROM ${table} WHERE load = {load:UInt64} GROUP BY account, day`,
    query_params: { load },
    format: 'JSONEachRow',
    clickhouse_settings: { output_format_json_quote_64bit_integers: 0 },
  })
  const days = await result.json<AccountDay & { rows: number }>()
  return { days, rows: days.reduce((sum, { rows }) => sum + rows, 0) }
}
