import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { auctions } from '../src/catalog/auctions.ts'
import { load, openScratch, say, startServer } from './adcube.ts'
import { makeReport } from './api.ts'
import { big, small, type Data } from './data.ts'
import { openDirect, writeParquet } from './direct.ts'
import { selectFacts } from './fact-sql.ts'
import { alternate, median, p99 } from './measure.ts'
import { plainSql, quote } from './plain-sql.ts'
import { listProcesses } from './processes.ts'
import { questionsAbout } from './questions.ts'
import { askFrom } from './rates.ts'
import { atMost, type Figure, type Outcome } from './table.ts'
import { makeTraffic, take } from './traffic.ts'

const minutes = 60
const clients = availableParallelism()
const requestsAMinute = 2_000
const growthMax = 1.25
const columns = ['p50', 'p99', 'memory of the server', 'memory of the query process']

/**
 * Runs mixed traffic for an hour, while reports are made and a day is replaced. Compares the last ten minutes with the
 * first, to find leaks and slowdowns. Times are multiples of DuckDB's in the same minute, because a machine's speed
 * changes.
 */
export async function steady(data: Data): Promise<Outcome> {
  const { adcube, keys, days, filesOf } = data
  await using server = await startServer(adcube)
  await using duckdb = await openDirect()
  const { body } = questionsAbout(days).find(({ name }) => name === 'Country')!
  const sql = plainSql(body, filesOf.get(small)!)
  const file = join(openScratch(), 'day.parquet')
  const facts = { account: quote('daily'), day: `DATE '${days[3]}'`, from: 0, rows: 10_000, devices: 1_000 }
  await writeParquet(duckdb, selectFacts(auctions, facts), file)
  const traffic = makeTraffic(data, server.url)
  const rows: [string, ...number[]][] = []
  let failures = 0
  for (let minute = 1; minute <= minutes; minute++) {
    say(`minute ${minute} of ${minutes}`)
    const [{ ms, statuses }] = await Promise.all([
      askFrom({ requests: take(traffic, requestsAMinute), clients, seconds: 50 }),
      makeReport(
        { url: server.url, key: keys[big]! },
        { ...body, dimensions: ['Day', 'Country', 'Adunit ID', 'App Name'] },
      ),
      load(adcube, [file]),
    ])
    failures += ms.length - (statuses[200] ?? 0)
    const [direct = []] = await alternate([async () => (await duckdb.run(sql)).ms], { seconds: 5, roundsMin: 5 })
    const processes = await listProcesses()
    const memory = ['main serve', 'query-child'].map(
      (wanted) => processes.find(({ name }) => name === wanted)!.memoryMb,
    )
    rows.push([`minute ${minute}`, median(ms) / median(direct), p99(ms) / median(direct), ...memory])
  }
  const compare = (name: string, index: number): Figure => {
    const [first, last] = [rows.slice(0, minutes / 6), rows.slice(-minutes / 6)]
    const [before, after] = [first, last].map((some) => median(some.map((row) => row[index + 1] as number)))
    return atMost(`${name}, the end beside the beginning`, after! / before!, growthMax, 'times')
  }
  return {
    figures: [...columns.map(compare), atMost('queries without 200', failures, 0, '')],
    tables: [{ title: 'p50 and p99 as multiples of DuckDB, memory in MB', head: ['', ...columns], rows }],
    plot: { title: 'Mixed traffic for an hour, as multiples of DuckDB', unit: 'times', columns: ['p50', 'p99'] },
  }
}
