import { join } from 'node:path'
import { addDays } from '../src/query/day.ts'
import { say, startServer } from './adcube.ts'
import { query } from './api.ts'
import { accounts, daysAll, linkData, small, type Data } from './data.ts'
import { alternate, median, p99, type Ask } from './measure.ts'
import { questionsAbout, rowsOf } from './questions.ts'
import { atMost, type Figure, type Outcome } from './table.ts'

const ratioMax = 1.2
const seconds = 20

const sizes = [
  { name: '1 month, 100 accounts', days: 31, count: 100 },
  { name: '4 months, 100 accounts', days: 122, count: 100 },
  { name: '13 months, 100 accounts', days: daysAll, count: 100 },
  { name: '13 months, 10 accounts', days: daysAll, count: 10 },
  { name: '13 months, 1 account', days: daysAll, count: 1 },
]

/** Measures the same query of 14 days on more and more months and accounts, each with its own server. */
export async function growth({ adcube, filesOf, days, end }: Data): Promise<Outcome> {
  const { body } = questionsAbout(days).find(({ name }) => name === 'Country')!
  await using servers = new AsyncDisposableStack()
  const answers = new Set<string>()
  const measured: { readonly row: readonly number[]; readonly ask: Ask }[] = []
  for (const { name, ...size } of sizes) {
    say(name)
    // The queried account is the first one.
    const ids = [small, ...accounts.filter((id) => id !== small)].slice(0, size.count)
    const start = addDays(end, 1 - size.days)
    const some = ids.flatMap((id) => filesOf.get(id)!).filter(({ day }) => day >= start)
    const folder = join(adcube, 'growth', name)
    const keys = await linkData(folder, some)
    const { url, startMs } = servers.use(await startServer(folder))
    const ask = () => query({ url, key: keys[small]! }, body)
    const { text, ms } = await ask()
    answers.add(JSON.stringify(rowsOf(text)))
    measured.push({ row: [some.length, startMs, ms], ask: async () => (await ask()).ms })
  }
  if (answers.size > 1) throw new Error('The answers differ.')
  say('all of them in turn')
  const sides = measured.map(({ ask }) => ask)
  const taken = await alternate(sides, { seconds, roundsMin: 5 })
  const compare = (name: string, much: number, little: number): Figure =>
    atMost(name, median(taken[much]!) / median(taken[little]!), ratioMax, 'times')
  return {
    figures: [
      compare('13 months beside 1', 2, 0),
      compare('4 months beside 1', 1, 0),
      compare('100 accounts beside 1', 2, 4),
      compare('10 accounts beside 1', 3, 4),
    ],
    tables: [
      {
        title: 'The same query of 14 days; times in ms',
        head: ['data', 'p50', 'p99', 'samples', 'files', 'start', 'first query'],
        rows: taken.map((ms, index) => [sizes[index]!.name, median(ms), p99(ms), ms.length, ...measured[index]!.row]),
      },
    ],
    plot: { title: 'The same query of 14 days as data grows', unit: 'ms', columns: ['p50'] },
  }
}
