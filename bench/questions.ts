import type { Day } from '../src/query/day.ts'
import type { Body } from './api.ts'

/** Kinds of queries: with at most one dimension besides Day, with two (filters included), or slow for a large account. */
type Question = { readonly name: string; readonly kind: 'one' | 'two' | 'heavy'; readonly body: Body }

/** Queries that are repeated for one account. */
export function questionsAbout(days: readonly Day[]): readonly Question[] {
  const range = { start: days[0]!, end: days.at(-1)!, limit: 1_000 }
  const ask = (kind: Question['kind'], name: string, dimensions: string[], metrics: string[], more = {}): Question => {
    return { name, kind, body: { ...range, dimensions, metrics, ...more } }
  }
  const sort = [{ field: 'Net Revenue', order: 'desc' }]
  const like = [{ field: 'Adomain', operator: 'like', value: '%99%' }]
  const filters = [
    { field: 'Country', operator: 'in', values: ['country 1', 'country 2', 'country 5'] },
    { field: 'OS', operator: '=', value: 'os 1' },
  ]
  return [
    ask('one', 'Totals', [], ['Auctions', 'Cleared', 'Clicks', 'Net Revenue', 'eCPM']),
    ask('one', 'Country', ['Country'], ['Net Revenue', 'Auctions', 'Cleared', 'CTR'], { sort }),
    ask('one', 'Day, Country', ['Day', 'Country'], ['Auctions', 'Auctions Won', 'Cleared', 'Net Revenue']),
    ask('one', "Adomain LIKE '%99%'", ['Adomain'], ['Auctions', 'Net Revenue'], { filters: like }),
    ask('one', 'Creative ID, top 100', ['Creative ID'], ['Net Revenue', 'Cleared'], { sort, limit: 100 }),
    ask('two', 'OS, Country', ['OS', 'Country'], ['Auctions', 'Net Revenue', 'eCPM']),
    ask('two', 'App Name, two filters', ['App Name'], ['Auctions', 'Net Revenue'], { filters }),
    ask('heavy', 'Creative ID, Country, top 1,000', ['Creative ID', 'Country'], ['Net Revenue', 'Cleared'], { sort }),
    ask('heavy', 'Uniques by Country', ['Country'], ['Uniques']),
  ]
}

/** Returns the rows of an answer without the names of the fields. */
export const rowsOf = (text: string): readonly (readonly unknown[])[] =>
  (JSON.parse(text) as { data: readonly object[] }).data.map((row) => Object.values(row))

/** Throws unless all sides return the same rows, and at least one. */
export function demandSameRows(name: string, text: string, others: readonly (readonly unknown[])[]): void {
  const rows = rowsOf(text)
  const isSame = rows.every((row, index) => row.every((value, place) => isSameValue(value, others[index]?.[place])))
  if (isSame && rows.length === others.length && rows.length > 0) return
  const start = (some: readonly unknown[]): string => JSON.stringify(some.slice(0, 3))
  throw new Error(`${name}: there are two answers:\n${start(rows)}\n${start(others)}`)
}

/** Compares values. DuckDB returns wide numbers as text, and floating-point numbers may differ in their last digits. */
const isSameValue = (value: unknown, other: unknown): boolean =>
  typeof value === 'number' ? Math.abs(value - Number(other)) <= 1e-9 * Math.abs(value) : value === other
