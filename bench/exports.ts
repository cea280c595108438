/**
 * A large report through the API beside DuckDB's own COPY of the same rows to a plain CSV file, with one thread and the
 * same memory; and what two running reports cost those who ask small queries.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { auctions } from '../src/catalog/auctions.ts'
import type { Metric } from '../src/catalog/cube.ts'
import { startServer } from './adcube.ts'
import { makeReport, query, readJob, submit } from './api.ts'
import { openDirect, quote, readFiles } from './direct.ts'
import { factFiles, fill, fillFlags } from './fill.ts'
import { readFlags } from './flags.ts'
import { askFor, median, quantile } from './measure.ts'
import { watchMemory } from './processes.ts'
import { questionsAbout } from './questions.ts'
import { openScratch, say } from './scratch.ts'
import { asRatio, atMost, inMb, inMs, inSeconds, printFigures, showCount, type Figure } from './table.ts'

const ratioMax = 1.5
const growthMbMax = 50
const besideRatioMax = 3
/** The default of ADCUBE_EXPORT_MEMORY_MB, which this run does not change. */
const memoryMb = 3_072

/** Together they are different for nearly every fact. */
const names = 'Day,Time,Country,Adunit ID,Creative ID,App Name,Device,OS,OS Version,Bidder Name'.split(',')
const dimensions = auctions.dimensions.filter(({ name }) => names.includes(name))
const metrics = auctions.metrics.filter(({ formula }) => formula.kind !== 'uniques').slice(0, 10)

const usage = 'node bench/exports.ts: a report beside DuckDB writing the same CSV'
const flags = readFlags(usage, { ...fillFlags, rounds: 2, seconds: 30 })
const { dataDir, days, keys } = await fill(flags)
const scratch = openScratch()
await using server = await startServer(dataDir)
const big = { url: server.url, key: keys.big }
const report = {
  start: days[0],
  end: days.at(-1),
  dimensions: dimensions.map(({ name }) => name),
  metrics: metrics.map(({ name }) => name),
  sort: [{ field: 'Net Revenue', order: 'desc' }],
  limit: 10_000_000,
}
printFigures('Reports', [...(await compareReport()), ...(await measureBeside())])

/** Makes the report in both ways, in turn, and compares the fastest of each. */
async function compareReport(): Promise<Figure[]> {
  const file = join(scratch, 'direct.csv')
  const jobs: Awaited<ReturnType<typeof makeReport>>[] = []
  const directMs: number[] = []
  const memory = await watchMemory(server.pid)
  for (let round = 1; round <= flags.rounds; round++) {
    say(`round ${round}: the report`)
    jobs.push(await makeReport(big, 'auctions', report))
    say(`round ${round}: the COPY of DuckDB`)
    directMs.push(await copy(file))
  }
  const { growthMb } = memory.stop()
  say('downloading the last one')
  const job = jobs.at(-1)!
  // It comes compressed and is unpacked on the way, which fails where it is cut off.
  const { body } = await fetch(job.output_url)
  const downloaded = await hashOf(Readable.fromWeb(body!))
  const { hash, rows } = await hashOf(createReadStream(file))
  if (job.checksum !== `sha256:${hash}`) throw new Error(`The report and the file of DuckDB differ.`)
  if (downloaded.hash !== hash) throw new Error('The download does not have the checksum of the job.')
  if (job.rows !== rows) throw new Error(`The job says ${job.rows} rows, there are ${rows}.`)
  const fastestMs = Math.min(...jobs.map(({ ms }) => ms))
  const fastestDirectMs = Math.min(...directMs)
  return [
    { name: 'rows and size of the CSV', value: `${showCount(rows)}, ${inMb(job.bytes / 1e6)}` },
    { name: `the report, compressed, fastest of ${flags.rounds}`, value: inSeconds(fastestMs) },
    { name: "DuckDB's COPY to a plain file", value: inSeconds(fastestDirectMs) },
    atMost('ratio', fastestMs / fastestDirectMs, ratioMax, asRatio),
    atMost("growth of the server's memory", growthMb, growthMbMax, inMb),
    { name: 'bytes, order, checksum, gzip', value: 'as the file of DuckDB', target: 'the same', isMet: true },
  ]
}

async function copy(file: string): Promise<number> {
  await using duckdb = await openDirect({ threads: 1, memoryMb, spillFolder: join(scratch, 'spill') })
  const groups = dimensions.map(({ column }) => column).join(', ')
  const fields = [
    ...dimensions.map(({ name, column }) => `${column} AS "${name}"`),
    ...metrics.map((metric) => `${sqlOf(metric)} AS "${metric.name}"`),
  ]
  const source = readFiles(await factFiles(dataDir, 'auctions', 'big'))
  const select = `SELECT ${fields.join(', ')} FROM ${source} GROUP BY ${groups} ORDER BY "Net Revenue" DESC, ${groups}`
  return (await duckdb.run(`COPY (${select}) TO ${quote(file)} (FORMAT csv, NEW_LINE '\\r\\n')`)).ms
}

function sqlOf({ formula }: Metric): string {
  if (formula.kind === 'sum') return `sum(${formula.measure})`
  if (formula.kind !== 'ratio') throw new Error('not a metric of a report')
  return `${formula.times} * sum(${formula.numerator})::DOUBLE / nullif(sum(${formula.denominator})::DOUBLE, 0)`
}

/** No value of these facts holds a line break, so each line feed ends a row. */
async function hashOf(csv: Readable): Promise<{ readonly hash: string; readonly rows: number }> {
  const hash = createHash('sha256')
  let lines = 0
  await pipeline(csv, async (chunks: AsyncIterable<Uint8Array>) => {
    for await (const chunk of chunks) {
      hash.update(chunk)
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines++
    }
  })
  return { hash: hash.digest('hex'), rows: lines - 1 }
}

async function measureBeside(): Promise<Figure[]> {
  const body = questionsAbout(days).find(({ name }) => name === 'Country')?.body ?? {}
  const ask = async (): Promise<number> => (await query({ ...big, key: keys.small }, 'auctions', body)).ms
  await askFor([ask], { clients: 1, seconds: 2 })
  const one = { clients: 1, seconds: flags.seconds }
  say('small queries alone')
  const alone = await askFor([ask], one)
  say('small queries beside two reports')
  const jobs = [await submit(big, 'auctions', report), await submit(big, 'auctions', report)]
  const beside = await askFor([ask], one)
  const after = await Promise.all(jobs.map((job) => readJob(big, job)))
  const ended = after.some((job) => job.job_status !== 'PROCESSING') ? ', which ended too soon' : ''
  const show = (ms: readonly number[]): string => `${inMs(median(ms))}, ${inMs(quantile(ms, 0.99))} (${ms.length})`
  return [
    { name: 'p50 and p99 of small queries alone', value: show(alone) },
    { name: `the same beside two reports${ended}`, value: show(beside) },
    atMost('ratio of p99', quantile(beside, 0.99) / quantile(alone, 0.99), besideRatioMax, asRatio),
  ]
}
