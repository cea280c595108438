import { say, startServer } from './adcube.ts'
import { query } from './api.ts'
import { big, small, type Data } from './data.ts'
import { openDirect } from './direct.ts'
import { alternate, median, p99 } from './measure.ts'
import { plainSql } from './plain-sql.ts'
import { watchProcesses } from './processes.ts'
import { demandSameRows, questionsAbout } from './questions.ts'
import { processTable } from './rates.ts'
import { atMost, type Figure, type Outcome } from './table.ts'

const rolledUpMax = 0.12
const ratioMax = 1.15
const addedMsMax = 4

/**
 * Measures queries that are not cached, over HTTP, and the same queries as SQL in DuckDB over the same files. Each side
 * has its own process, all processors, and one client.
 */
export async function synchronous({ adcube, keys, days, filesOf }: Data): Promise<Outcome> {
  await using server = await startServer(adcube)
  await using duckdb = await openDirect()
  const stop = await watchProcesses()
  const figures: Figure[] = []
  const rows: (string | number)[][] = []
  for (const account of [big, small]) {
    for (const { name: question, kind, body } of questionsAbout(days)) {
      const name = `${account === big ? 'large' : 'small'} account: ${question}`
      say(name)
      const caller = { url: server.url, key: keys[account]! }
      const sql = plainSql(body, filesOf.get(account)!)
      demandSameRows(name, (await query(caller, body)).text, (await duckdb.run(sql)).rows)
      const sides = [async () => (await query(caller, body)).ms, async () => (await duckdb.run(sql)).ms]
      const taken = await alternate(sides, { seconds: account === big ? 4 : 2.5, roundsMin: 3 })
      const [ours, theirs] = taken.map(median) as [number, number]
      const max = Math.max(ratioMax, 1 + addedMsMax / theirs)
      figures.push(atMost(name, ours / theirs, account === big && kind === 'one' ? rolledUpMax : max, 'times'))
      rows.push([name, theirs, ours, ...taken.map(p99).toReversed(), taken[0]!.length])
    }
  }
  return {
    figures,
    tables: [
      {
        title: 'Cold queries by one client; times in ms',
        head: ['query', 'DuckDB p50', 'Adcube p50', 'DuckDB p99', 'Adcube p99', 'samples'],
        rows,
      },
      processTable([{ name: 'both', usage: await stop() }]),
    ],
    plot: { title: 'Cold queries: p50', unit: 'ms', columns: ['DuckDB p50', 'Adcube p50'] },
  }
}
