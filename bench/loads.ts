import { globSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { auctions } from '../src/catalog/auctions.ts'
import { load, openScratch, say } from './adcube.ts'
import { dailyShare, type Data } from './data.ts'
import { openDirect, writeParquet } from './direct.ts'
import { selectFacts } from './fact-sql.ts'
import { quote } from './plain-sql.ts'
import { answerOf, tablesOf, alternateSides, type Answers } from './rates.ts'
import { atMost, type Outcome } from './table.ts'

const timesCopyMax = 2.5
const rollupTimeMax = 1.25
const rollupBytesMax = 1.1
/** The loader's own memory limit plus that of its process, for any number of rows. */
const memoryMbMax = 2_048 + 256
const turns = 3

/**
 * Measures `adcube load` of two days of a large account with all columns, with and without rollups, and DuckDB's COPY
 * of the same file into the same partitions.
 */
export async function loads({ end, ...data }: Data): Promise<Outcome> {
  const rows = Math.round(2 * data.rows * dailyShare)
  const [file, target] = [join(openScratch(), 'facts.parquet'), join(openScratch(), 'target')]
  await using duckdb = await openDirect()
  say('writing a file to load')
  const day = `DATE '${end}' - (i * 2 // ${rows})::INTEGER`
  const facts = { account: quote('daily'), day, from: 0, rows, devices: Math.ceil(rows / 10) }
  await writeParquet(duckdb, selectFacts(auctions, facts), file)

  const mb: Record<string, number> = {}
  const stored = new Set<string>()
  /** Records the size of the written files, and removes them. */
  const note = async (name: string, ms: number): Promise<Answers> => {
    const written = globSync(join(target, '**/account=*/**/*.{parquet,rollup}'))
    mb[name] = written.reduce((sum, path) => sum + statSync(path).size, 0) / 1e6
    const sums = await duckdb.run(`SELECT count(*), count(DISTINCT (account, day)), sum(auctions),
      sum(net_revenue::DECIMAL(18, 6)), count(DISTINCT creative_id), sum(strlen(adomain))
      FROM read_parquet(${quote(join(target, '**/*.parquet'))}, hive_partitioning = true)`)
    stored.add(JSON.stringify(sums.rows))
    rmSync(target, { recursive: true })
    return answerOf(ms)
  }
  const select = `SELECT * FROM ${quote(file)}`
  const runs = await alternateSides(turns, {
    COPY: async () => note('COPY', (await writeParquet(duckdb, select, target, ', PARTITION_BY (account, day)')).ms),
    'load without rollups': async () => note('without', await load(target, [file], { ADCUBE_ROLLUP_FACTS: '0' })),
    load: async () => note('load', await load(target, [file])),
  })
  if (stored.size > 1) throw new Error(`What is stored differs: ${[...stored].join(' and ')}`)
  const [copied, without, ours] = runs.map(({ ms }) => Math.min(...ms)) as [number, number, number]
  const usageOf = (run: number) => runs[run]!.usage.find(({ name }) => name === 'main load')!
  return {
    figures: [
      atMost('a load beside one without rollups', ours / without, rollupTimeMax, 'times'),
      atMost('bytes on disk beside those without rollups', mb.load! / mb.without!, rollupBytesMax, 'times'),
      atMost('a load beside COPY, the fastest of each', ours / copied, timesCopyMax, 'times'),
      atMost('highest memory of a load', usageOf(2).peakMb, memoryMbMax, 'MB'),
      {
        name: 'its CPU beside one without rollups',
        value: usageOf(2).cpuSeconds / usageOf(1).cpuSeconds,
        unit: 'times',
      },
      { name: 'facts of the load', value: rows, unit: '' },
      { name: 'on disk, without rollups', value: mb.without!, unit: 'MB' },
    ],
    tables: tablesOf(runs),
    plot: { title: 'A load of two days', unit: 'ms', columns: ['fastest'] },
  }
}
