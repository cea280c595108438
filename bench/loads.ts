/** `adcube load` beside DuckDB's own COPY of the same file into the same partitions. */
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { auctions } from '../src/catalog/auctions.ts'
import { addDays, dayOf } from '../src/query/day.ts'
import { spawnAdcube } from './adcube.ts'
import { openDirect, quote } from './direct.ts'
import { selectFacts } from './fact-sql.ts'
import { readFlags } from './flags.ts'
import { watchMemory } from './processes.ts'
import { openScratch, say } from './scratch.ts'
import { asRatio, atMost, inMb, inSeconds, printFigures, showCount, type Figure } from './table.ts'

type Format = 'parquet' | 'csv'
type Run = { readonly ms: number; readonly peakMb: number }

const ratioMax = 2.5
/** The loader's own limit, and what its process takes besides: as much with any number of rows. */
const memoryMbMax = 2_048 + 256
const days = 14

const usage = 'node bench/loads.ts: a load beside a COPY of DuckDB'
const flags = readFlags(usage, { rows: 10_000_000, accounts: 5, rounds: 2 })
const scratch = openScratch()
const [file, dataDir, directFolder] = [join(scratch, 'facts'), join(scratch, 'data'), join(scratch, 'direct')]
/** As the loader has it. */
const settings = { threads: 2, memoryMb: 2_048, spillFolder: join(scratch, 'spill') }

const all = await compare('parquet', flags.rows)
const csv = await compare('csv', flags.rows / 10)
printFigures(`Loads of ${flags.accounts} accounts and ${days} days, the fastest of ${flags.rounds} runs`, [
  ...all.figures,
  atMost('ratio', all.ratio, ratioMax, asRatio),
  atMost('memory of the load', all.ours.peakMb, memoryMbMax, inMb),
  ...csv.figures,
  { name: 'ratio', value: asRatio(csv.ratio) },
])

/** Loads a file in both ways, in turn, and keeps the fastest run of each. Both must store the same facts. */
async function compare(format: Format, rows: number) {
  say(`writing ${showCount(rows)} rows of ${format}`)
  await writeFacts(format, rows)
  const runs: { ours: Run; direct: Run }[] = []
  for (let round = 1; round <= flags.rounds; round++) {
    say(`round ${round}: DuckDB`)
    const direct = await copy(format)
    const expected = await sumUp(directFolder)
    await rm(directFolder, { recursive: true })
    say(`round ${round}: Adcube`)
    const ours = await load(format)
    const stored = await sumUp(join(dataDir, 'facts'))
    if (stored !== expected) throw new Error(`The load stored ${stored}, DuckDB ${expected}.`)
    await rm(dataDir, { recursive: true })
    runs.push({ ours, direct })
  }
  const fastest = (side: 'ours' | 'direct'): Run => runs.map((run) => run[side]).toSorted((a, b) => a.ms - b.ms)[0]!
  const [ours, direct] = [fastest('ours'), fastest('direct')]
  const show = ({ ms, peakMb }: Run): string => `${inSeconds(ms)}, ${inMb(peakMb)}`
  const figures: Figure[] = [
    { name: `adcube load, ${showCount(rows)} rows of ${format}`, value: show(ours) },
    { name: "DuckDB's COPY", value: show(direct) },
  ]
  return { ours, ratio: ours.ms / direct.ms, figures }
}

/** The facts come day by day, as logs do; the accounts are mixed. */
async function writeFacts(format: Format, rows: number): Promise<void> {
  const first = addDays(dayOf(Date.now()), 1 - days)
  const account = `'account-' || mix % ${flags.accounts}`
  const day = `DATE '${first}' + (i * ${days} // ${rows})::INTEGER`
  const select = selectFacts(auctions, { account, day, from: 0, rows, devices: Math.ceil(rows / 10) })
  // A list of devices in CSV is a text with semicolons.
  const inCsv = `SELECT * REPLACE (array_to_string(devices, ';') AS devices) FROM (${select})`
  await using duckdb = await openDirect(settings)
  await duckdb.run(`COPY (${format === 'csv' ? inCsv : select}) TO ${quote(file)} (FORMAT ${format})`)
}

async function copy(format: Format): Promise<Run> {
  await using duckdb = await openDirect(settings)
  const memory = await watchMemory(duckdb.pid)
  const select = `SELECT * FROM read_${format}(${quote(file)})`
  const target = `${quote(directFolder)} (FORMAT parquet, PARTITION_BY (account, day))`
  const { ms } = await duckdb.run(`COPY (${select}) TO ${target}`)
  return { ms, peakMb: memory.stop().peakMb }
}

/** The whole process, from its start to its end. */
async function load(format: Format): Promise<Run> {
  const startedAt = performance.now()
  const args = ['load', 'auctions', file, '--format', format, '--create-accounts']
  const loader = spawnAdcube(dataDir, args)
  const ended = once(loader, 'exit')
  const memory = await watchMemory(loader.pid)
  const [code] = await ended
  if (code !== 0) throw new Error(`adcube load ended with ${code}.`)
  return { ms: performance.now() - startedAt, peakMb: memory.stop().peakMb }
}

async function sumUp(folder: string): Promise<string> {
  await using duckdb = await openDirect(settings)
  const files = quote(join(folder, '**/*.parquet'))
  const { rows } = await duckdb.run(`SELECT count(*), count(DISTINCT (account, day)), sum(auctions),
    sum(net_revenue::DECIMAL(18, 6)), count(DISTINCT creative_id), sum(strlen(adomain))
    FROM read_parquet(${files}, hive_partitioning = true)`)
  return JSON.stringify(rows)
}
