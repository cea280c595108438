/**
 * Measures reports: whether a large one is whole, sorted and right, what it costs beside curl writing the same answer
 * of the engine to a file, and how much two of them slow down synchronous queries.
 */
import { copyFile, rm } from 'node:fs/promises'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { asynchronousLimits } from '../src/catalog/limits.ts'
import { auctions } from '../src/catalog/auctions.ts'
import { checkCsv, summed, toUnits } from './check-csv.ts'
import { curlToFile } from './curl.ts'
import { fill, recentDays, type BenchAccount } from './fill.ts'
import { fillWide, wideQuery } from './fill-wide.ts'
import { FlagsError, parseFlags, someOf, whole } from './flags.ts'
import { toText, type Beside, type Figures, type Report } from './exports-text.ts'
import { JobClient } from './job-client.ts'
import { timeFor } from './measure.ts'
import { say, secondsSince } from './progress.ts'
import { prepareQuery, prepareQuestions } from './questions.ts'
import { exportMemoryBytes } from './reports.ts'
import { runBench, type Bench } from './run-bench.ts'
import { apiSide } from './sides.ts'
import { startApi, type Api } from './start-api.ts'
import { watch } from './watch.ts'

type Step = (typeof steps)[number]
type Flags = {
  readonly rows: number
  readonly ordinaryRows: number
  readonly seconds: number
  readonly steps: readonly Step[]
  readonly keep: string | undefined
  readonly json: boolean
}

const steps = ['report', 'curl', 'beside'] as const

const usage = `npm run bench:exports -- [flags]

Makes a report of 10 dimensions and 10 metrics, reads it back and checks it against the engine's own count and sums;
has curl write the same answer of the engine to a file; and asks synchronous queries without and beside two reports.

  --rows N            Rows of a report (10000000)
  --ordinary-rows N   Facts of the account that asks synchronously (500000)
  --seconds N         Time of each of the two rounds of synchronous queries (30)
  --steps A,B,…       Only these steps, of ${steps.join(', ')}; curl needs report (all)
  --keep FILE         Copies the packed report (.csv.gz) there
  --json              Prints the figures as one JSON object

The facts go to the system's temporary folder, some 6 GB, and are removed at the end.
`

function readFlags(args: readonly string[]): Flags | undefined {
  const values = parseFlags(args, {
    rows: { type: 'string', default: String(asynchronousLimits.rowsMax) },
    'ordinary-rows': { type: 'string', default: '500000' },
    seconds: { type: 'string', default: '30' },
    steps: { type: 'string', default: steps.join(',') },
    keep: { type: 'string' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  })
  if (values.help) return undefined
  const asked = someOf('steps', values.steps, steps)
  if (asked.includes('curl') && !asked.includes('report')) throw new FlagsError('--steps curl needs report.')
  return {
    rows: whole('rows', values.rows, asynchronousLimits.rowsMax),
    ordinaryRows: whole('ordinary-rows', values['ordinary-rows'], 100_000_000),
    seconds: whole('seconds', values.seconds, 3_600),
    steps: asked,
    keep: values.keep,
    json: values.json,
  }
}

const limits = { secondsMax: 12 * 3600, memoryBytesMax: exportMemoryBytes }

async function measure(flags: Flags, bench: Bench): Promise<Figures> {
  const { folder, endpoint, readLimits, logLevel, stop, stack } = bench
  const has = (step: Step): boolean => flags.steps.includes(step)
  const startMs = performance.now()
  const first = await fillWide(bench, 'first', flags.rows)
  const second = has('beside') ? await fillWide(bench, 'second', flags.rows) : undefined
  const ordinary = has('beside') ? (await fill(bench, { ordinary: flags.ordinaryRows })).accounts.ordinary : undefined
  const filledSeconds = secondsSince(startMs)

  say('starting the API')
  const start = { storeFolder: folder, endpoint, readLimits, logLevel, exports: 2 }
  const api = await startApi(start, join(folder, 'api.log'), stop)
  stack.defer(() => api.close())

  const days = recentDays()
  const query = { start: days[0] ?? '', end: days.at(-1) ?? '', ...wideQuery, limit: flags.rows }
  const report = has('report') ? await measureReport(bench, api, first, query, flags.keep) : undefined
  let curlSeconds: number | undefined
  if (has('curl')) {
    say('curl writes the same answer')
    const { statement } = await prepareQuery(bench.store, first, query, asynchronousLimits)
    const file = join(folder, 'curl.csv')
    curlSeconds = await curlToFile(bench, statement, limits, file)
    say(`curl: ${curlSeconds.toFixed(1)} s`)
    await rm(file)
  }
  const beside =
    second && ordinary
      ? await measureBeside(bench, api, { ordinary, exporting: [first, second], query, seconds: flags.seconds })
      : undefined
  return {
    rows: flags.rows,
    filledSeconds,
    report,
    curlSeconds,
    beside,
  }
}

type Query = typeof wideQuery & { readonly start: string; readonly end: string; readonly limit: number }

async function measureReport(
  bench: Bench,
  api: Api,
  account: BenchAccount,
  query: Query,
  keep: string | undefined,
): Promise<Report> {
  const jobs = new JobClient(api.url, account.key, bench.signal)
  say('a small report, to warm up')
  await jobs.end(await jobs.start({ ...query, limit: 1000, dimensions: ['Day'] }))

  say('the report')
  const watched = watch(bench, api.pid)
  const id = await jobs.start(query)
  const job = await jobs.end(id, (progress) => say(`the report: ${(progress * 100).toFixed(0)} %`))
  const use = await watched.end(id)
  const seconds = (Date.parse(job.finished_at) - Date.parse(job.started_at)) / 1000
  say(`the report: ${seconds.toFixed(1)} s`)
  if (keep !== undefined) await copyFile(join(bench.folder, 'reports', `${id}_1.csv.gz`), keep)

  say('reading it back')
  const response = await fetch(job.output_url, { signal: bench.signal, headers: { 'accept-encoding': 'identity' } })
  const csv = await checkCsv(Readable.fromWeb(response.body as ReadableStream), query.dimensions)
  const sums = await readSums(bench, account)
  return {
    seconds,
    bytes: job.bytes,
    ...use,
    rows: csv.rows,
    isSorted: csv.sorted,
    hasRightSums: summed.every((name) => csv.sums[name] === sums[name]),
    hasRightChecksum: csv.checksum === job.checksum,
  }
}

/** Straight from the facts, in units that nothing rounds. */
async function readSums({ engine }: Bench, account: BenchAccount): Promise<Readonly<Record<string, bigint>>> {
  const columns = summed.map((name) => name.toLowerCase().replaceAll(' ', '_'))
  const result = await engine.reader().query({
    query: `SELECT ${columns.map((column) => `toString(sum(${column})) AS ${column}`).join(', ')}
      FROM ${auctions.table} WHERE account = {account:String}`,
    query_params: { account: account.id },
    format: 'JSONEachRow',
  })
  const [row] = await result.json<Record<string, string>>()
  return Object.fromEntries(summed.map((name, index) => [name, toUnits(name, row?.[columns[index]!] ?? '')]))
}

async function measureBeside(
  bench: Bench,
  api: Api,
  {
    ordinary,
    exporting,
    query,
    seconds,
  }: {
    readonly ordinary: BenchAccount
    readonly exporting: readonly BenchAccount[]
    readonly query: Query
    readonly seconds: number
  },
): Promise<Beside> {
  const agent = new Agent({ keepAlive: true })
  const side = apiSide(api.url, agent, bench.signal)
  const questions = await prepareQuestions(bench.store, ordinary, recentDays())
  say('synchronous queries, to warm up')
  for (const question of questions) await side(question)
  say('synchronous queries alone')
  const without = await timeFor(side, questions, seconds, () => true)

  say('synchronous queries beside two reports')
  const clients = exporting.map(({ key }) => new JobClient(api.url, key, bench.signal))
  const jobs = await Promise.all(clients.map(async (client) => ({ client, id: await client.start(query) })))
  await Promise.all(jobs.map(({ client, id }) => client.begun(id)))
  let running = jobs.length
  const ends = jobs.map(async ({ client, id }) => {
    await client.end(id)
    running--
  })
  const beside = await timeFor(side, questions, seconds, () => running === jobs.length)
  await Promise.all(jobs.map(({ client, id }) => client.cancel(id)))
  await Promise.allSettled(ends)
  agent.destroy()
  return { without, beside }
}

await runBench({ usage, readFlags, measure, toText })
