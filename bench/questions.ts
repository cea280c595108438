import { auctions } from '../src/catalog/auctions.ts'
import { synchronousLimits, type QueryLimits } from '../src/catalog/limits.ts'
import { compileQuery, type Statement } from '../src/query/compile.ts'
import { dayOf, type Day } from '../src/query/day.ts'
import { parseQuery } from '../src/query/parse.ts'
import { findVisibleLoads } from '../src/store/loads.ts'
import type { Store } from '../src/store/open-store.ts'
import type { BenchAccount } from './fill.ts'

/** One query of one account, in both of its forms: what the API is sent, and what the API sends to the engine. */
export type Question = {
  readonly account: BenchAccount
  readonly name: string
  readonly body: string
  readonly statement: Statement
  readonly limit: number
  /** Worth asking of a large account too. */
  readonly isForLarge: boolean
}

type Asked = { readonly name: string; readonly query: object; readonly isForLarge?: true }

const asked: readonly Asked[] = [
  {
    name: 'Totals',
    query: { dimensions: [], metrics: ['Auctions', 'Auctions Won', 'Cleared', 'Net Revenue', 'eCPM'] },
    isForLarge: true,
  },
  {
    name: 'Day',
    query: { dimensions: ['Day'], metrics: ['Auctions', 'Cleared', 'Clicks', 'CTR', 'Net Revenue'] },
  },
  {
    name: 'Country, top 10 by Net Revenue',
    query: {
      dimensions: ['Country'],
      metrics: ['Net Revenue', 'Cleared', 'eCPM'],
      sort: [{ field: 'Net Revenue', order: 'desc' }],
      limit: 10,
    },
    isForLarge: true,
  },
  {
    name: 'App Name x Day',
    query: { dimensions: ['App Name', 'Day'], metrics: ['Net Revenue', 'Cleared', 'eCPM'] },
  },
  {
    name: 'Country with Uniques',
    query: { dimensions: ['Country'], metrics: ['Uniques', 'Auctions'] },
  },
]

/** All questions, asked of one account. */
export async function prepareQuestions(
  store: Store,
  account: BenchAccount,
  days: readonly Day[],
): Promise<readonly Question[]> {
  const range = { start: days[0] ?? '', end: days.at(-1) ?? '' }
  return Promise.all(
    asked.map(async ({ name, query, isForLarge = false }) => {
      const { body, parsed, statement } = await prepareQuery(store, account, { ...range, ...query }, synchronousLimits)
      return { account, name, body, statement, limit: parsed.limit, isForLarge }
    }),
  )
}

/** The same parser and compiler as the API's, so that the two statements cannot drift apart. */
export async function prepareQuery(
  store: Store,
  account: BenchAccount,
  query: { readonly start: Day; readonly end: Day },
  limits: QueryLimits,
) {
  const parsed = parseQuery(query, { cube: auctions, limits, today: dayOf(Date.now()) })
  if ('faults' in parsed) throw new Error(`A query has faults: ${JSON.stringify(parsed.faults)}`)
  const visible = await findVisibleLoads(store, { cube: auctions.name, account: account.id, ...query })
  // One row more shows whether there were more; an export does not ask.
  const rows = parsed.query.limit + (limits === synchronousLimits ? 1 : 0)
  const statement = compileQuery(parsed.query, { account: account.id, visible }, rows)
  return { body: JSON.stringify(query), parsed: parsed.query, statement }
}
