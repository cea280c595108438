import { join } from 'node:path'
import { auctions } from '../src/catalog/auctions.ts'
import { digestFile } from '../src/facts/file-digest.ts'
import { openScratch, startServer } from './adcube.ts'
import { makeReport, type Body } from './api.ts'
import { big, type Data } from './data.ts'
import { openDirect } from './direct.ts'
import { plainSql, quote } from './plain-sql.ts'
import { answerOf, tablesOf, alternateSides } from './rates.ts'
import { atMost, type Outcome } from './table.ts'

const ratioMax = 1.5
const turns = 2
/** The default of ADCUBE_EXPORT_MEMORY_MB. */
const memoryMb = 3_072
/** Dimensions that together differ for nearly every fact. */
const dimensions = 'Day,Time,Country,Adunit ID,Creative ID,App Name,Device,OS,OS Version,Bidder Name'.split(',')
const metrics = auctions.metrics.filter(({ formula }) => formula.kind !== 'uniques').map(({ name }) => name)

/** Measures a report of two days, and DuckDB's COPY of the same rows to a CSV file with one thread and as much memory. */
export async function exports({ adcube, keys, days, filesOf }: Data): Promise<Outcome> {
  await using server = await startServer(adcube)
  await using duckdb = await openDirect({ threads: 1, memoryMb })
  const sort = [{ field: 'Net Revenue', order: 'desc' as const }]
  const range = { start: days.at(-2)!, end: days.at(-1)! }
  const body: Body = { ...range, dimensions, metrics: metrics.slice(0, 10), sort, limit: 10_000_000 }
  const sql = plainSql(body, filesOf.get(big)!)
  const file = join(openScratch(), 'direct.csv')
  const jobs: Awaited<ReturnType<typeof makeReport>>[] = []
  const report = async () => {
    jobs.push(await makeReport({ url: server.url, key: keys[big]! }, body))
    return answerOf(jobs.at(-1)!.ms)
  }
  const copy = async () =>
    answerOf((await duckdb.run(`COPY (${sql}) TO ${quote(file)} (FORMAT csv, NEW_LINE '\\r\\n')`)).ms)
  const runs = await alternateSides(turns, { 'DuckDB, plain file': copy, 'Adcube, compressed': report })
  const { rows, bytes, checksum } = jobs.at(-1)!
  if (checksum !== `sha256:${(await digestFile(file)).checksum}`)
    throw new Error('The report and the file of DuckDB differ.')
  const [theirs, ours] = runs.map(({ ms }) => Math.min(...ms)) as [number, number]
  return {
    figures: [
      atMost('a report beside COPY, the fastest of each', ours / theirs, ratioMax, 'times'),
      { name: 'rows of the report', value: rows!, unit: '' },
      { name: 'size of the CSV', value: bytes! / 1e6, unit: 'MB' },
    ],
    tables: tablesOf(runs),
    plot: { title: 'A report of two days', unit: 'ms', columns: ['fastest'] },
  }
}
