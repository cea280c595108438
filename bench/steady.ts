/**
 * Mixed load for a long time: queries of two accounts that keep the engine busy for 80 % of the time, while reports are
 * made and days are replaced. What leaks or slows down shows in the last sixth of the time beside the first, held against
 * DuckDB asked at the same time, because the machine itself is faster at one time than at another.
 */
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { auctions } from '../src/catalog/auctions.ts'
import { runAdcube, startServer } from './adcube.ts'
import { makeReport, send } from './api.ts'
import { openDirect, quote, readFiles } from './direct.ts'
import { selectFacts } from './fact-sql.ts'
import { factFiles, fill, fillFlags } from './fill.ts'
import { readFlags } from './flags.ts'
import { askFor, median, quantile } from './measure.ts'
import { countOpenFiles, findChild, readMemoryMb } from './processes.ts'
import { questionsAbout } from './questions.ts'
import { openScratch, say } from './scratch.ts'
import { asRatio, atMost, inMb, inMs, printFigures, type Figure } from './table.ts'

/** As many clients as there are places in the engine. Whatever the machine can do, they want this share of it. */
const shareOfCapacity = 0.8
const clients = availableParallelism()
const warmUpSeconds = 60
const reportPauseMs = 20_000
const loadPauseMs = 30_000
const sampleMs = 1_000
const growthMax = 1.25
/** What a process may hold for a moment, such as the connections of this bench. */
const filesMax = 20

const usage = 'node bench/steady.ts: mixed load at 80 % of capacity, the end beside the beginning'
const flags = readFlags(usage, { ...fillFlags, rows: 1_000_000, small: 100_000, minutes: 60 })
const { dataDir, days, keys } = await fill(flags)
await using server = await startServer(dataDir)
await using duckdb = await openDirect({ threads: 2, memoryMb: 1_024, spillFolder: openScratch() })
const asked = questionsAbout(days).filter(({ isHeavy }) => !isHeavy)

type Sample = { readonly at: number; readonly value: number }
const taken: Sample[] = []
/** By what went wrong: a status, or an error of the connection. */
const refused = new Map<string, number>()
let count = 0

/** One query: every fourth is of the big account. */
async function ask(): Promise<number> {
  const key = count % 4 === 0 ? keys.big : keys.small
  const { cube, body } = asked[count++ % asked.length]!
  const at = performance.now()
  const outcome = await send({ url: server.url, key }, `/v2/data/synchronous?cube=${cube}`, body).then(
    ({ status }) => String(status),
    (error: unknown) => String(error),
  )
  if (outcome !== '200') refused.set(outcome, (refused.get(outcome) ?? 0) + 1)
  const ms = performance.now() - at
  taken.push({ at, value: ms })
  return ms
}

const over = new AbortController()
const made = { reports: 0, loads: 0 }
async function repeat(pauseMs: number, work: () => Promise<unknown>): Promise<void> {
  while (!over.signal.aborted) {
    await work()
    await delay(pauseMs, undefined, { signal: over.signal }).catch(() => {})
  }
}
const report = { ...asked[0]!.body, dimensions: ['Day', 'Country', 'Adunit ID', 'App Name'], limit: 1_000_000 }
const file = join(openScratch(), 'day.parquet')
async function writeDay(): Promise<void> {
  await using duckdb = await openDirect({ threads: 1, memoryMb: 1_024, spillFolder: openScratch() })
  const rows = { account: quote('daily'), day: `DATE '${days[3]}'`, from: 0, rows: 10_000, devices: 1_000 }
  await duckdb.run(`COPY (${selectFacts(auctions, rows)}) TO ${quote(file)} (FORMAT parquet)`)
}
await writeDay()
const beside = [
  repeat(reportPauseMs, async () => {
    await makeReport({ url: server.url, key: keys.big }, 'auctions', report)
    made.reports++
  }),
  repeat(loadPauseMs, async () => {
    await runAdcube(dataDir, 'load', 'auctions', file, '--create-accounts')
    made.loads++
  }),
]

say('warming up')
await askFor([ask], { clients, seconds: warmUpSeconds })
say(`${flags.minutes} minutes`)
taken.length = 0
refused.clear()
const queryPid = await findChild(server.pid, 'query-child')
const measured = questionsAbout(days).find(({ name }) => name === 'Country')!
const direct = measured.sql(readFiles(await factFiles(dataDir, measured.cube, 'small')))
const series: Readonly<Record<'server' | 'query' | 'files' | 'direct', Sample[]>> = {
  server: [],
  query: [],
  files: [],
  direct: [],
}
const timer = setInterval(() => void sample(), sampleMs)
async function sample(): Promise<void> {
  const at = performance.now()
  series.server.push({ at, value: await readMemoryMb(server.pid) })
  series.query.push({ at, value: await readMemoryMb(await findChild(server.pid, 'query-child')) })
  series.files.push({ at, value: await countOpenFiles(server.pid) })
  series.direct.push({ at, value: (await duckdb.run(direct)).ms })
}
const startAt = performance.now()
const endAt = startAt + flags.minutes * 60_000
const work = async (): Promise<void> => {
  while (performance.now() < endAt) await delay((await ask()) * (1 / shareOfCapacity - 1))
}
await Promise.all(Array.from({ length: clients }, work))
clearInterval(timer)
over.abort()
await Promise.all(beside)

const sixthMs = (endAt - startAt) / 6
const first = (samples: readonly Sample[]) =>
  samples.filter(({ at }) => at < startAt + sixthMs).map(({ value }) => value)
const last = (samples: readonly Sample[]) => samples.filter(({ at }) => at > endAt - sixthMs).map(({ value }) => value)
const compare = (
  name: string,
  samples: readonly Sample[],
  figure: (values: readonly number[]) => number,
  show: (value: number) => string,
): Figure[] => [
  { name: `${name}, first and last sixth`, value: `${show(figure(first(samples)))}, ${show(figure(last(samples)))}` },
  atMost('ratio', figure(last(samples)) / figure(first(samples)), growthMax, asRatio),
]
/** In times of what DuckDB took for its question in the same sixth. */
function compareTimes(name: string, share: number): Figure[] {
  const timesOf = (sixthOf: typeof first) => {
    const [ours, theirs] = [quantile(sixthOf(taken), share), median(sixthOf(series.direct))]
    return { show: `${inMs(ours)} (DuckDB ${inMs(theirs)})`, times: ours / theirs }
  }
  const [early, late] = [timesOf(first), timesOf(last)]
  return [
    { name: `${name}, first and last sixth`, value: `${early.show}, ${late.show}` },
    atMost('ratio, held against DuckDB', late.times / early.times, growthMax, asRatio),
  ]
}
const [filesFirst, filesLast] = [median(first(series.files)), median(last(series.files))]
const isSame = queryPid === (await findChild(server.pid, 'query-child'))
printFigures(`${flags.minutes} minutes, ${taken.length} queries, ${made.reports} reports, ${made.loads} loads`, [
  ...compareTimes('p50 of queries', 0.5),
  ...compareTimes('p99 of queries', 0.99),
  ...compare('memory of the server', series.server, median, inMb),
  ...compare('memory of the query process', series.query, median, inMb),
  { name: 'open files of the server, first and last sixth', value: `${filesFirst}, ${filesLast}` },
  atMost('more open files', filesLast - filesFirst, filesMax, String),
  { name: 'queries without a 200', value: JSON.stringify(Object.fromEntries(refused)) },
  { name: 'the query process', value: isSame ? 'still runs' : 'was replaced' },
])
