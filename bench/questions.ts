import { auctions } from '../src/catalog/auctions.ts'
import { synchronousLimits } from '../src/catalog/limits.ts'
import { compileQuery, type Statement } from '../src/query/compile.ts'
import { dayOf, type Day } from '../src/query/day.ts'
import { parseQuery } from '../src/query/parse.ts'
import { findVisibleLoads } from '../src/store/loads.ts'
import type { Store } from '../src/store/open-store.ts'
import type { BenchAccount, Filled } from './fill.ts'

/** One query of one account, in both of its forms: what the API is sent, and what the API sends to the engine. */
export type Question = {
  readonly account: BenchAccount
  readonly name: string
  readonly body: string
  readonly statement: Statement
  readonly limit: number
}

type Asked = { readonly name: string; readonly query: object; readonly accounts: readonly BenchAccount['id'][] }

const asked: readonly Asked[] = [
  {
    name: 'Totals',
    query: { dimensions: [], metrics: ['Auctions', 'Auctions Won', 'Cleared', 'Net Revenue', 'eCPM'] },
    accounts: ['ordinary', 'large'],
  },
  {
    name: 'Day',
    query: { dimensions: ['Day'], metrics: ['Auctions', 'Cleared', 'Clicks', 'CTR', 'Net Revenue'] },
    accounts: ['ordinary'],
  },
  {
    name: 'Country, top 10 by Net Revenue',
    query: {
      dimensions: ['Country'],
      metrics: ['Net Revenue', 'Cleared', 'eCPM'],
      sort: [{ field: 'Net Revenue', order: 'desc' }],
      limit: 10,
    },
    accounts: ['ordinary', 'large'],
  },
  {
    name: 'App Name x Day',
    query: { dimensions: ['App Name', 'Day'], metrics: ['Net Revenue', 'Cleared', 'eCPM'] },
    accounts: ['ordinary'],
  },
  {
    name: 'Country with Uniques',
    query: { dimensions: ['Country'], metrics: ['Uniques', 'Auctions'] },
    accounts: ['ordinary'],
  },
]

/** All questions, those of the ordinary account first. */
export async function prepareQuestions(store: Store, filled: Filled): Promise<readonly Question[]> {
  const range = { start: filled.days[0] ?? '', end: filled.days.at(-1) ?? '' }
  return Promise.all(
    [filled.ordinary, filled.large].flatMap((account) =>
      asked
        .filter(({ accounts }) => accounts.includes(account.id))
        .map(({ name, query }) => prepare(store, account, name, { ...range, ...query })),
    ),
  )
}

/** The same parser and compiler as the API's, so that the two statements cannot drift apart. */
async function prepare(
  store: Store,
  account: BenchAccount,
  name: string,
  query: { readonly start: Day; readonly end: Day },
): Promise<Question> {
  const parsed = parseQuery(query, { cube: auctions, limits: synchronousLimits, today: dayOf(Date.now()) })
  if ('faults' in parsed) throw new Error(`The query ${name} has faults: ${JSON.stringify(parsed.faults)}`)
  const visible = await findVisibleLoads(store, { cube: auctions.name, account: account.id, ...query })
  const { limit } = parsed.query
  const statement = compileQuery(parsed.query, { account: account.id, visible }, limit + 1)
  return { account, name, body: JSON.stringify(query), statement, limit }
}
