/**
 * Measures loads: a Parquet file through `adcube load`'s door, with all its checks, against the engine's own typed
 * insert of the same file into a plain table; and how soon a server with thirteen months of fifty accounts answers.
 */
import { existsSync } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { auctions } from '../src/catalog/auctions.ts'
import { loadFacts } from '../src/ingest/load-facts.ts'
import { insertAccount } from '../src/store/accounts.ts'
import { parseFlags, someOf, whole } from './flags.ts'
import { toText, type Figures, type LoadFigures } from './loads-text.ts'
import { insertTyped, writeParquet } from './parquet-file.ts'
import { say, secondsSince } from './progress.ts'
import { measureRestart } from './restart.ts'
import { runBench, type Bench } from './run-bench.ts'

type Step = (typeof steps)[number]
type Flags = {
  readonly rows: number
  readonly file: string | undefined
  readonly days: number
  readonly accounts: number
  readonly steps: readonly Step[]
  readonly json: boolean
}

const steps = ['load', 'restart'] as const
const monthsDays = 395

const usage = `npm run bench:loads -- [flags]

Loads a Parquet file of facts of the cube auctions, all columns and devices included, and has the engine insert the same
file into a plain table of the same columns; then fills thirteen months, and starts a server on them.

  --rows N        Rows of the file (10000000)
  --days N        Days of the second part (${monthsDays})
  --accounts N    Accounts of the second part (50)
  --file FILE     Keeps the file here, for the next run with as many rows; uses it if it is there
  --steps A,B     Only these steps, of ${steps.join(', ')} (both)
  --json          Prints the figures as one JSON object

The files go to the system's temporary folder, some 10 GB, and are removed at the end.
`

function readFlags(args: readonly string[]): Flags | undefined {
  const values = parseFlags(args, {
    rows: { type: 'string', default: '10000000' },
    file: { type: 'string' },
    days: { type: 'string', default: String(monthsDays) },
    accounts: { type: 'string', default: '50' },
    steps: { type: 'string', default: steps.join(',') },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  })
  if (values.help) return undefined
  return {
    rows: whole('rows', values.rows, 100_000_000),
    file: values.file,
    days: whole('days', values.days, monthsDays),
    accounts: whole('accounts', values.accounts, 1_000),
    steps: someOf('steps', values.steps, steps),
    json: values.json,
  }
}

async function measure(flags: Flags, bench: Bench): Promise<Figures> {
  const load = flags.steps.includes('load') ? await measureLoad(bench, flags) : undefined
  const restart = flags.steps.includes('restart') ? await measureRestart(bench, flags) : undefined
  return { load, restart }
}

/** Each side has two turns, in the order engine, Adcube, Adcube, engine: a drift then hits both alike. */
async function measureLoad(bench: Bench, { rows, file: kept }: Flags): Promise<LoadFigures> {
  const { engine, store, folder, signal } = bench
  const file = kept ?? join(folder, 'facts.parquet')
  await insertAccount(store, { id: 'loaded', name: 'loaded', createdAt: Date.now() })
  if (!existsSync(file)) {
    say('writing the file')
    // Under another name until it is whole.
    await writeParquet(bench, `${file}.new`, { rows, account: 'loaded' })
    await rename(`${file}.new`, file)
  }
  const { size: bytes } = await stat(file)

  const typed = async (): Promise<number> => {
    say("the engine's own insert")
    return insertTyped(bench, file)
  }
  let nodeGrowthMb = 0
  const ours = async (): Promise<number> => {
    say('the load')
    const before = process.memoryUsage.rss()
    const sampler = setInterval(() => {
      nodeGrowthMb = Math.max(nodeGrowthMb, (process.memoryUsage.rss() - before) / 2 ** 20)
    }, 100)
    const startMs = performance.now()
    try {
      const loaded = await loadFacts({ engine, store, now: Date.now }, auctions, [file], { signal })
      if (loaded.rows !== rows) throw new Error(`${loaded.rows} rows were loaded of ${rows}.`)
      if (loaded.warnings.count > 0)
        throw new Error(`${loaded.warnings.count} warnings: the file is not as it should be.`)
      return secondsSince(startMs)
    } finally {
      clearInterval(sampler)
    }
  }
  const typedFirst = await typed()
  const oursSeconds = [await ours(), await ours()]
  const typedSeconds = [typedFirst, await typed()]
  if (kept === undefined) await rm(file)
  return { rows, bytes, oursSeconds, typedSeconds, nodeGrowthMb }
}

await runBench({ usage, readFlags, measure, toText })
