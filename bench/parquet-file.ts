import { createReadStream, createWriteStream } from 'node:fs'
import { finished, pipeline } from 'node:stream/promises'
import { auctions } from '../src/catalog/auctions.ts'
import { recentDays } from './fill.ts'
import { secondsSince } from './progress.ts'
import type { Bench } from './run-bench.ts'

/** How many values each dimension has: few for most, as in real facts, and many for a few. */
const valuesOf = (column: string): number =>
  ({ creative_id: 20_000, adunit_id: 500, device: 300, country: 60, adomain: 2_000 })[column] ?? 12

/** Once in how many auctions something happens: nothing in the file is impossible, and worth a warning. */
const countsOnce: Readonly<Record<string, number>> = {
  auctions_won: 2,
  cleared: 3,
  clicks: 100,
  video_start: 4,
  video_midpoint: 5,
  video_complete: 6,
}

const plainTable = 'bench_plain'

/** Has the engine write facts of one account to a Parquet file: every column of the cube, and devices. */
export async function writeParquet(
  { engine, signal }: Bench,
  file: string,
  { rows, account }: { readonly rows: number; readonly account: string },
): Promise<void> {
  const days = recentDays()
  // Facts come day by day.
  const day = `toDate({start:Date}) + intDiv(number * ${days.length}, {rows:UInt64})`
  const columns = [
    '{account:String} AS account',
    ...auctions.dimensions.map(({ column, type }, index) =>
      type === 'date'
        ? `toDate(${day}) AS ${column}`
        : `concat('${column} ', toString(cityHash64(number, ${index}) % ${valuesOf(column)})) AS ${column}`,
    ),
    ...auctions.measures.map(({ column, type }) =>
      type === 'money'
        ? `toDecimal64(mix % 1000000, 6) / 100000 AS ${column}`
        : `intDiv(100 * (mix % 1000), ${countsOnce[column] ?? 1}) AS ${column}`,
    ),
    "arrayMap(each -> concat('device ', toString(cityHash64(number, each) % 1000000)), range(mix % 5)) AS devices",
  ]
  const { stream } = await engine.writer().exec({
    query: `SELECT ${columns.join(',\n')} FROM (
      SELECT number, cityHash64(number) AS mix FROM numbers({rows:UInt64})
    ) FORMAT Parquet`,
    query_params: { rows, account, start: days[0] },
    abort_signal: signal,
    clickhouse_settings: { max_threads: 1 },
  })
  await pipeline(stream, createWriteStream(file))
}

/** Has the engine insert the file as it is into a table of its own types, and returns the seconds that took. */
export async function insertTyped({ engine, signal }: Bench, file: string): Promise<number> {
  const columns = [
    'account LowCardinality(String)',
    ...auctions.dimensions.map(
      ({ column, type }) => `${column} ${type === 'date' ? 'Date' : 'LowCardinality(String)'}`,
    ),
    ...auctions.measures.map(({ column, type }) => `${column} ${type === 'money' ? 'Decimal(18, 6)' : 'UInt64'}`),
    'devices Array(String)',
  ]
  const writer = engine.writer()
  await writer.command({ query: `DROP TABLE IF EXISTS ${plainTable}` })
  await writer.command({
    query: `CREATE TABLE ${plainTable} (${columns.join(', ')}) ENGINE = MergeTree
      PARTITION BY day ORDER BY (account, adunit_id, country)
      SETTINGS fsync_after_insert = 1, fsync_part_directory = 1`,
  })
  const startMs = performance.now()
  const insert = await writer.exec({
    query: `INSERT INTO ${plainTable} FORMAT Parquet`,
    values: createReadStream(file),
    abort_signal: signal,
    clickhouse_settings: { wait_end_of_query: 1 },
  })
  await finished(insert.stream.resume())
  return secondsSince(startMs)
}
