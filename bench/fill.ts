import { existsSync } from 'node:fs'
import { glob, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { auctions } from '../src/catalog/auctions.ts'
import type { Cube } from '../src/catalog/cube.ts'
import { platformPerformance } from '../src/catalog/platform-performance.ts'
import { addDays, dayOf, type Day } from '../src/query/day.ts'
import { createKey, runAdcube } from './adcube.ts'
import { openDirect, quote } from './direct.ts'
import { selectFacts } from './fact-sql.ts'
import { openScratch, say } from './scratch.ts'
import { showCount } from './table.ts'

/** The flags of each part that works on this data. */
export const fillFlags = { data: '', rows: 10_000_000, small: 200_000 }

export type AccountName = 'big' | 'small'

export type Filled = {
  readonly dataDir: string
  readonly rows: number
  readonly small: number
  readonly days: readonly Day[]
  readonly keys: Readonly<Record<AccountName, string>>
}

/** As many days as a synchronous query reaches. */
const daysMax = 14
/** The second cube has fewer facts: it is asked one question. */
const platformShare = 0.1

/** A data folder with a big and a small account, loaded by `adcube load`; one from an earlier run is used again. */
export async function fill({ data, rows, small }: typeof fillFlags): Promise<Filled> {
  const dataDir = openScratch(data)
  const note = join(dataDir, 'bench.json')
  const today = dayOf(Date.now())
  if (existsSync(note)) {
    const filled = JSON.parse(await readFile(note, 'utf8')) as Filled
    const isRecent = (filled.days[0] ?? '') >= addDays(today, -daysMax)
    if (isRecent && filled.rows === rows && filled.small === small) return { ...filled, dataDir }
    throw new Error(`${dataDir} has other rows or older days than asked for; name another folder with --data.`)
  }
  const days = Array.from({ length: daysMax }, (_, index) => addDays(today, index + 1 - daysMax))
  for (const name of ['big', 'small']) await runAdcube(dataDir, 'account', 'create', name, '--id', name)
  for (const [cube, share] of [[auctions, 1] as const, [platformPerformance, platformShare] as const]) {
    const counts = { big: Math.round(rows * share), small: Math.round(small * share) }
    say(`making ${showCount(counts.big + counts.small)} facts of ${cube.alias}`)
    const folder = join(dataDir, 'source', cube.alias)
    const files = await writeSources(cube, folder, days, counts)
    say('loading them')
    await runAdcube(dataDir, 'load', cube.alias, ...files)
    await rm(folder, { recursive: true })
  }
  const keys = { big: await createKey(dataDir, 'big'), small: await createKey(dataDir, 'small') }
  const filled = { dataDir, rows, small, days, keys }
  await writeFile(note, JSON.stringify(filled), { mode: 0o600 })
  return filled
}

/** Writes one file for each account and day, two at a time because one of them keeps only one thread busy. */
async function writeSources(cube: Cube, folder: string, days: readonly Day[], counts: Record<AccountName, number>) {
  await mkdir(folder, { recursive: true })
  await using duckdb = await openDirect({ threads: 2, memoryMb: 2_048, spillFolder: join(folder, 'spill') })
  const orders = Object.entries(counts).flatMap(([account, count]) =>
    days.map((day, index) => {
      const from = Math.floor((count * index) / days.length)
      const rows = Math.floor((count * (index + 1)) / days.length) - from
      const values = { account: quote(account), day: `DATE '${day}'`, from, rows, devices: Math.ceil(count / 10) }
      return { file: join(folder, `${account}-${day}.parquet`), select: selectFacts(cube, values) }
    }),
  )
  const next = orders.values()
  const work = async (): Promise<void> => {
    for (const { file, select } of next) await duckdb.run(`COPY (${select}) TO ${quote(file)} (FORMAT parquet)`)
  }
  await Promise.all([work(), work()])
  return orders.map(({ file }) => file)
}

/** The fact files of an account, as they lie in the data folder. */
export async function factFiles(dataDir: string, cube: string, account: string): Promise<readonly string[]> {
  const pattern = join(dataDir, 'facts', cube, '*', `account=${account}`, 'day=*', 'facts_0.parquet')
  const files = await Array.fromAsync(glob(pattern))
  return files.toSorted()
}
