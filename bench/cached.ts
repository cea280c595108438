import { startPlainService, startServer } from './adcube.ts'
import { query } from './api.ts'
import { middle, type Data } from './data.ts'
import { openDirect } from './direct.ts'
import { p99 } from './measure.ts'
import { plainSql } from './plain-sql.ts'
import { demandSameRows, questionsAbout } from './questions.ts'
import { askFrom, tablesOf, alternateSides, type Answers, type Run } from './rates.ts'
import { atLeast, atMost, type Outcome } from './table.ts'

const perSecondMin = 3_000
const p99MsMax = 5
const timesPlainMin = 20
const seconds = 2
const turns = 2

/**
 * Measures repeated queries of one account with 1, 8 and 32 clients: DuckDB, the plain service, and Adcube without and
 * with its cache. The targets are for 8 clients.
 */
export async function cached({ adcube, keys, days, filesOf }: Data): Promise<Outcome> {
  await using duckdb = await openDirect()
  await using plain = await startPlainService(adcube)
  await using cold = await startServer(adcube)
  // Adcube has one core, the clients have another. Keys are checked and requests are counted as usual.
  await using warm = await startServer(adcube, { env: {}, core: 0 })
  const key = keys[middle]!
  const asked = questionsAbout(days).filter(({ kind }) => kind !== 'heavy')
  const sqls = asked.map(({ body }) => plainSql(body, filesOf.get(middle)!))
  for (const [index, { name, body }] of asked.entries()) {
    const { rows } = await duckdb.run(sqls[index]!)
    for (const { url } of [plain, cold, warm]) demandSameRows(name, (await query({ url, key }, body)).text, rows)
  }
  const askDirectly = async (clients: number): Promise<Answers> => {
    const startedAt = performance.now()
    const ms: number[] = []
    const work = async (): Promise<void> => {
      while (performance.now() < startedAt + seconds * 1_000)
        ms.push((await duckdb.run(sqls[ms.length % sqls.length]!)).ms)
    }
    await Promise.all(Array.from({ length: clients }, work))
    return { ms, seconds: (performance.now() - startedAt) / 1_000, statuses: { 200: ms.length } }
  }
  const askAt = (url: string, clients: number, core?: number): Promise<Answers> =>
    askFrom({ requests: asked.map(({ body }) => ({ url, key, body })), clients, seconds }, core)
  // Warm up with some 20,000 requests, until the code is compiled.
  for (const { url } of [plain, cold, warm, warm]) await askAt(url, 8)

  const runs = new Map<number, readonly Run[]>()
  for (const clients of [1, 8, 32]) {
    const sides = {
      [`DuckDB, ${clients}`]: () => askDirectly(clients),
      [`plain service, ${clients}`]: () => askAt(plain.url, clients),
      [`Adcube cold, ${clients}`]: () => askAt(cold.url, clients),
      [`Adcube cached, ${clients}`]: () => askAt(warm.url, clients, 1),
    }
    runs.set(clients, await alternateSides(turns, sides))
  }
  const eight = runs.get(8)!
  const [, theirs, uncached, ours] = eight.map(({ perSecond }) => perSecond)
  return {
    figures: [
      atLeast('requests/s, cached beside the plain service', ours! / theirs!, timesPlainMin, 'times'),
      { name: 'requests/s, cold beside the plain service', value: uncached! / theirs!, unit: 'times' },
      atLeast('requests/s, cached on one core', ours!, perSecondMin, '/s'),
      atMost('p99, cached on one core', p99(eight.at(-1)!.ms), p99MsMax, 'ms'),
    ],
    tables: tablesOf([...runs.values()].flat()),
    plot: { title: 'The same queries again and again, by so many clients', unit: '/s', columns: ['per second'] },
  }
}
