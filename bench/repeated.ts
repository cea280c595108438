/** Queries that were asked before, with keys and rate limits checked as always, beside DuckDB asked the same again. */
import { changeAccount } from '../src/access/change-account.ts'
import { openStore } from '../src/store/open-store.ts'
import { startServer } from './adcube.ts'
import { query } from './api.ts'
import { openDirect, readFiles } from './direct.ts'
import { factFiles, fill, fillFlags } from './fill.ts'
import { readFlags } from './flags.ts'
import { askFor, median, quantile } from './measure.ts'
import { demandSameRows, questionsAbout } from './questions.ts'
import { openScratch, say } from './scratch.ts'
import { atMost, inMs, printFigures } from './table.ts'

const clients = 8
const p99MsMax = 5
/** So many times the published limits that none is reached. */
const rateFactor = 1_000_000

const usage = 'node bench/repeated.ts: repeated queries, answered from memory'
const flags = readFlags(usage, { ...fillFlags, rows: 1_000_000, small: 100_000, seconds: 10 })
const { dataDir, days, keys } = await fill(flags)
const store = await openStore({ folder: dataDir })
await changeAccount(store, 'big', { rateFactor }, Date.now())
await store.destroy()
await using server = await startServer(dataDir, {})
await using duckdb = await openDirect({ threads: 2, memoryMb: 2_048, spillFolder: openScratch() })
const caller = { url: server.url, key: keys.big }
const asked = questionsAbout(days).filter(({ isHeavy }) => !isHeavy)
const sides = { api: [] as (() => Promise<number>)[], direct: [] as (() => Promise<number>)[] }
for (const { name, cube, body, sql } of asked) {
  const text = sql(readFiles(await factFiles(dataDir, cube, 'big')))
  demandSameRows(name, (await query(caller, cube, body)).text, (await duckdb.run(text)).rows)
  sides.api.push(async () => (await query(caller, cube, body)).ms)
  sides.direct.push(async () => (await duckdb.run(text)).ms)
}

say('DuckDB')
const direct = await askFor(sides.direct, { clients, seconds: flags.seconds })
say('the API')
await askFor(sides.api, { clients, seconds: 2 })
const api = await askFor(sides.api, { clients, seconds: flags.seconds })
const perSecond = ({ length }: readonly number[]): string => (length / flags.seconds).toFixed(0)
printFigures(`${asked.length} questions in turn, asked again and again by ${clients} clients`, [
  { name: 'requests a second, API', value: perSecond(api) },
  { name: 'requests a second, DuckDB', value: perSecond(direct) },
  { name: 'p50 of the API', value: inMs(median(api)) },
  atMost('p99 of the API', quantile(api, 0.99), p99MsMax, inMs),
])
