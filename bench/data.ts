import { spawnSync } from 'node:child_process'
import { existsSync, globSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { createKey } from '../src/access/keys.ts'
import { auctions } from '../src/catalog/auctions.ts'
import { FactFolder } from '../src/facts/fact-folder.ts'
import { beginLoad } from '../src/ingest/load-state.ts'
import { publishLoad } from '../src/ingest/publish-load.ts'
import { addDays, countDays, dayOf, type Day } from '../src/query/day.ts'
import { insertAccount } from '../src/store/accounts.ts'
import { operator } from '../src/store/audit.ts'
import { openStore } from '../src/store/open-store.ts'
import { load, openScratch, say } from './adcube.ts'
import { openDirect, writeParquet, type Direct } from './direct.ts'
import { selectFacts } from './fact-sql.ts'
import { listFactFiles, quote, readPlace, type FactFile } from './plain-sql.ts'

export const daysAll = 395
/** The days that a synchronous query can reach. */
const daysRecent = 14
/** Facts fall with the place of the account: the second has a third of the first's, the last a thousandth. */
const skew = 1.5
/** Older days have fewer facts, as if they were aggregated more. */
const olderShare = 1 / 34
/** Share of all facts in one recent day of the first account. */
export const dailyShare = 1 / 60
/** Dimensions with values, as many as in most publishers' files. The others are empty. */
const texts = 'adomain adunit_id adunit_name app_id app_name bidder_name country creative_id device os os_version time'
const cube = { ...auctions, dimensions: auctions.dimensions.filter(({ column }) => texts.split(' ').includes(column)) }
/** A rate factor with which no limit is reached. */
const rateFactor = 1_000_000

export const accounts = Array.from({ length: 100 }, (_, place) => `account-${String(place).padStart(3, '0')}`)
export const [big, middle, small] = [accounts[0]!, accounts[3]!, accounts[10]!]
/** Accounts whose recent days are loaded by `adcube load`, and have rollups. */
const large = accounts.slice(0, 2)

/** The record that is stored with the data. */
type Note = { readonly rows: number; readonly end: Day; readonly keys: Readonly<Record<string, string>> }

export type Data = Note & {
  /** The data folder of Adcube. */
  readonly adcube: string
  /** The recent days. */
  readonly days: readonly Day[]
  readonly filesOf: ReadonlyMap<string, readonly FactFile[]>
}

/** Creates the data, which is always the same except for the dates, or finds that of an earlier run. */
export async function openData(named: string | undefined, rows: number): Promise<Data> {
  const adcube = named === undefined ? openScratch() : resolve(named)
  const file = join(adcube, 'bench.json')
  if (!existsSync(file)) writeFileSync(file, JSON.stringify(await makeData(adcube, rows)), { mode: 0o600 })
  const note = JSON.parse(readFileSync(file, 'utf8')) as Note
  if (note.rows !== rows || addDays(note.end, 1) < dayOf(Date.now()))
    throw new Error(`${adcube} has other facts, or too old ones: remove it, or name another folder with --data.`)
  const days = Array.from({ length: daysRecent }, (_, index) => addDays(note.end, index + 1 - daysRecent))
  return { ...note, adcube, days, filesOf: listFactFiles(adcube) }
}

async function makeData(adcube: string, rowsAll: number): Promise<Note> {
  const end = dayOf(Date.now())
  const rows = Math.floor(rowsAll * dailyShare)
  const keys = await insertAccounts(adcube, accounts)
  await using duckdb = await openDirect({ memoryMb: 4_096 })
  say('making the recent days of large accounts')
  const sources = openScratch()
  const dailyRows = large.map((_, place) => Math.floor(rows * (place + 1) ** -skew))
  await inTwos(Array.from({ length: daysRecent * large.length }).keys(), (index) => {
    const place = index % large.length
    const count = dailyRows[place]!
    const day = `DATE '${addDays(end, -Math.floor(index / large.length))}'`
    const values = { account: quote(large[place]!), day, from: index * rows, rows: count, devices: count }
    return writeParquet(duckdb, selectFacts(cube, values), join(sources, `${index}.parquet`))
  })
  say('loading them')
  await load(adcube, globSync(join(sources, '*.parquet')))
  rmSync(sources, { recursive: true })
  say('making all other facts')
  await publish(adcube, await writeOthers(duckdb, adcube, { end, rows }))
  // Do not measure writes that the system has buffered.
  spawnSync('sync')
  return { rows: rowsAll, end, keys }
}

/** Loads two files at a time, because each load uses little more than one core. */
async function inTwos<Item>(items: IteratorObject<Item>, work: (item: Item) => Promise<unknown>): Promise<void> {
  const workOn = async (): Promise<void> => {
    for (const item of items) await work(item)
  }
  await Promise.all([workOn(), workOn()])
}

/** Consecutive days of one account with the same number of facts. */
type Stretch = { readonly account: string; readonly start: Day; readonly end: Day; readonly rows: number }

/**
 * Creates all other facts from a day of the largest account, in the files that a load would have written. Loading them
 * would take longer than all measurements.
 */
async function writeOthers(duckdb: Direct, adcube: string, day: { end: Day; rows: number }): Promise<string> {
  await duckdb.run(`CREATE TABLE facts AS SELECT row_number() OVER (ORDER BY hash(creative_id, net_revenue)) - 1 AS i, *
    FROM ${quote(listFactFiles(adcube).get(big)![0]!.path)}`)
  const [first, recent] = [addDays(day.end, 1 - daysAll), addDays(day.end, 1 - daysRecent)]
  const stretches = accounts.flatMap((account, place): Stretch[] => {
    const rows = Math.floor(day.rows * (place + 1) ** -skew)
    const older = { account, start: first, end: addDays(recent, -1), rows: Math.floor(rows * olderShare) }
    const all = large.includes(account) ? [older] : [older, { account, start: recent, end: day.end, rows }]
    return all.filter((each) => each.rows > 0)
  })
  const made = join(adcube, 'made')
  // Remove what an interrupted run has left.
  rmSync(made, { recursive: true, force: true })
  mkdirSync(made)
  await inTwos(
    stretches.values().flatMap((each) => split(each, day.rows)),
    ({ account, start, end, rows }) => {
      const count = rows * countDays(start, end)
      const from = Number(`${account}${start}`.replaceAll(/\D/g, '')) % (day.rows - count + 1)
      const values = `${quote(account)} AS account, DATE '${start}' + ((i - ${from}) // ${rows})::INTEGER AS day`
      const select = `SELECT * EXCLUDE i REPLACE (${values}) FROM facts WHERE i >= ${from} AND i < ${from + count}`
      const names = "WRITE_PARTITION_COLUMNS, FILENAME_PATTERN 'facts_{i}', OVERWRITE_OR_IGNORE"
      return writeParquet(duckdb, select, made, `, PARTITION_BY (account, day), ${names}`)
    },
  )
  return made
}

/** Splits a stretch into parts that the source day has enough facts for. */
function* split({ account, start, end, rows }: Stretch, rowsMax: number): Generator<Stretch> {
  const days = Math.floor(rowsMax / rows)
  for (let day = start; day <= end; day = addDays(day, days)) {
    const last = addDays(day, days - 1)
    yield { account, start: day, end: last < end ? last : end, rows }
  }
}

/** Makes a folder of fact files visible as a load. */
async function publish(adcube: string, made: string): Promise<void> {
  await using store = await openStore({ folder: adcube })
  const begun = { cube: auctions.name, now: Date.now() }
  const id = await beginLoad(store, begun)
  const folder = new FactFolder(adcube).folderOfLoad(auctions, id)
  const days = globSync('account=*/day=*', { cwd: made }).map(readPlace)
  mkdirSync(dirname(folder), { recursive: true })
  renameSync(made, folder)
  const { refusal } = await publishLoad(store, { ...begun, id, days, rows: 0 })
  if (refusal) throw new Error(`The facts that were made are not taken: ${refusal}`)
}

async function insertAccounts(adcube: string, ids: readonly string[]): Promise<Record<string, string>> {
  await using store = await openStore({ folder: adcube })
  const keys: Record<string, string> = {}
  for (const id of ids) {
    await insertAccount(store, { id, name: id, rateFactor, createdAt: 0 })
    const created = await createKey(store, { accountId: id, name: 'bench', actor: operator, now: Date.now() })
    if ('key' in created) keys[id] = created.key
  }
  return keys
}

/** Creates a data folder with links to some of the files, and returns the keys of its accounts. */
export async function linkData(adcube: string, files: readonly FactFile[]): Promise<Record<string, string>> {
  rmSync(adcube, { recursive: true, force: true })
  const keys = await insertAccounts(adcube, [...new Set(files.map(({ account }) => account))])
  const made = join(adcube, 'made')
  for (const { account, day, path } of files) {
    const folder = join(made, `account=${account}`, `day=${day}`)
    mkdirSync(folder, { recursive: true })
    linkSync(path, join(folder, 'facts_0.parquet'))
  }
  await publish(adcube, made)
  return keys
}
