import { cubes } from '../../src/catalog/cubes.ts'
import type { Fact } from './fact-files.ts'

/**
 * Computes the answer to a query in memory, from the facts and the definitions of the metrics, without the code under
 * test.
 */
export type NaiveQuery = {
  readonly start: string
  readonly end: string
  readonly dimensions: readonly string[]
  readonly metrics: readonly string[]
  readonly filters: readonly { field: string; operator: string; value?: string; values?: readonly string[] }[]
  readonly sort: readonly { field: string; order: string }[]
  readonly limit: number
}

type Row = Record<string, string | number | null>

export function answerNaively(facts: readonly Fact[], query: NaiveQuery): Row[] {
  const inRange = facts.filter(({ day }) => day >= query.start && day <= query.end)
  const loadedDays = [...new Set(inRange.map(({ day }) => day))]
  const keptDays = loadedDays.filter((day) =>
    query.filters.every((filter) => filter.field !== 'Day' || matches(day, filter)),
  )
  const kept = inRange.filter((fact) => query.filters.every((filter) => matches(valueOf(fact, filter.field), filter)))

  const groups = new Map<string, Fact[]>(query.dimensions.length === 0 ? [['[]', []]] : [])
  for (const fact of kept) {
    const key = JSON.stringify(query.dimensions.map((name) => valueOf(fact, name)))
    groups.set(key, [...(groups.get(key) ?? []), fact])
  }

  const rows = [...groups].map(([key, group]) => {
    const values = JSON.parse(key) as string[]
    const days = query.dimensions.includes('Day') ? 1 : keptDays.length
    const dimensions = Object.fromEntries(query.dimensions.map((name, index) => [name, values[index] || null]))
    const metric = (name: string) => definitionOf(name)(group, days)
    return {
      row: { ...dimensions, ...Object.fromEntries(query.metrics.map((name) => [name, metric(name)])) },
      sortValue: (name: string) => (dimensions[name] === undefined ? metric(name) : dimensions[name]),
    }
  })
  const order = [
    ...query.sort,
    ...query.dimensions
      .filter((name) => !query.sort.some(({ field }) => field === name))
      .map((field) => ({ field, order: 'asc' })),
  ]
  rows.sort((a, b) => {
    for (const { field, order: direction } of order) {
      const compared = compare(a.sortValue(field), b.sortValue(field), direction.toLowerCase() === 'desc')
      if (compared !== 0) return compared
    }
    return 0
  })
  return rows.slice(0, query.limit).map(({ row }) => row)
}

const valueOf = (fact: Fact, name: string): string => (name === 'Day' ? fact.day : (fact.dimensions[name] ?? ''))

function matches(text: string, { operator, value, values }: NaiveQuery['filters'][number]): boolean {
  switch (operator.toLowerCase()) {
    case '=':
      return text === value
    case 'in':
      return values!.includes(text)
    case 'not in':
      return !values!.includes(text)
    default:
      return matchesLike(Array.from(text), Array.from(value!))
  }
}

/** Matches like SQL's LIKE: `%` is any text, `_` one character, and a backslash takes the next character literally. */
function matchesLike(text: string[], pattern: string[]): boolean {
  if (pattern.length === 0) return text.length === 0
  const [head, ...rest] = pattern
  if (head === '%') return text.some((_, index) => matchesLike(text.slice(index), rest)) || matchesLike([], rest)
  if (head === '\\') return text.length > 0 && text[0] === rest[0] && matchesLike(text.slice(1), rest.slice(1))
  return text.length > 0 && (head === '_' || head === text[0]) && matchesLike(text.slice(1), rest)
}

/** Sorts nulls last in both directions, and text by its bytes. */
function compare(a: string | number | null, b: string | number | null, isDescending: boolean): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  const ascending = typeof a === 'string' ? Buffer.compare(Buffer.from(a), Buffer.from(String(b))) : a - Number(b)
  return isDescending ? -ascending : ascending
}

type Definition = (facts: readonly Fact[], days: number) => number | null

const total = (facts: readonly Fact[], measure: string): bigint =>
  facts.reduce((sum, fact) => sum + fact.measures[measure]!, 0n)
const count =
  (measure: string): Definition =>
  (facts) =>
    Number(total(facts, measure))
const money =
  (measure: string): Definition =>
  (facts) =>
    Number(total(facts, measure)) / 1e6
const over =
  (a: Definition, b: Definition, times = 1): Definition =>
  (facts, days) => {
    const denominator = b(facts, days)!
    return denominator === 0 ? null : (times * a(facts, days)!) / denominator
  }
const distinct = (facts: readonly Fact[]): number => new Set(facts.flatMap(({ devices }) => devices)).size
const daily =
  (measure: string): Definition =>
  (facts, days) => {
    const counted = facts.filter((fact) => fact.measures[measure]! > 0n)
    const perDay = [...new Set(counted.map(({ day }) => day))].map((day) =>
      distinct(counted.filter((fact) => fact.day === day)),
    )
    return days === 0 ? null : perDay.reduce((sum, each) => sum + each, 0) / days
  }

/** A metric that is newer than the list below is worked out from its formula. */
function definitionOf(name: string): Definition {
  const known = definitions[name]
  if (known) return known
  const { measures, formula } = cubes.flatMap(({ measures, metrics }) =>
    metrics.flatMap((metric) => (metric.name === name ? [{ measures, formula: metric.formula }] : [])),
  )[0]!
  const sum = (measure: string): Definition =>
    measures.find(({ column }) => column === measure)?.type === 'money' ? money(measure) : count(measure)
  switch (formula.kind) {
    case 'sum':
      return sum(formula.measure)
    case 'ratio':
      return over(sum(formula.numerator), sum(formula.denominator), formula.times)
    case 'uniques':
      return distinct
    case 'dailyUniques':
      return daily(formula.measure)
  }
}

const definitions: Record<string, Definition> = {
  Auctions: count('auctions'),
  'Auctions Won': count('auctions_won'),
  'Bid Avg': over(money('bid_amount'), count('bids')),
  'Bid Depth': over(count('bids'), count('auctions')),
  'Clear Rate': over(count('cleared'), count('auctions')),
  Cleared: count('cleared'),
  Clicks: count('clicks'),
  CTR: over(count('clicks'), count('cleared')),
  eCPM: over(money('net_revenue'), count('cleared'), 1000),
  'Net Revenue': money('net_revenue'),
  'Survival Rate': over(count('cleared'), count('auctions_won')),
  Uniques: distinct,
  'Video Complete': count('video_complete'),
  'Video Completion Rate': over(count('video_complete'), count('video_start')),
  'Video Midpoint': count('video_midpoint'),
  'Video Start': count('video_start'),
  'Win Rate': over(count('auctions_won'), count('auctions')),
  'Winning Bid Avg': over(money('winning_bid_amount'), count('auctions_won')),

  'Ad Requests': count('ad_requests'),
  'Adserver Attempts': count('attempts'),
  'Adserver Clicks': count('clicks'),
  'Adserver CTR': over(count('clicks'), count('impressions')),
  'Adserver eCPM': over(money('revenue'), count('impressions'), 1000),
  'Adserver Impressions': count('impressions'),
  'Adserver Revenue': money('revenue'),
  'Attempt Responses': count('attempt_responses'),
  'Clk DAU': daily('clicks'),
  'Fill Rate (Demand)': over(count('fills'), count('attempts')),
  'Fill Rate (Inv)': over(count('fills'), count('ad_requests')),
  Fills: count('fills'),
  'Imp DAU': daily('impressions'),
  'Latency (Demand)': over(count('demand_latency_ms'), count('attempt_responses')),
  'NR eCPM': over(money('nr_revenue'), count('nr_impressions'), 1000),
  'NR Impressions': count('nr_impressions'),
  'NR Revenue': money('nr_revenue'),
  'Render Rate': over(count('impressions'), count('fills')),
  'Req DAU': daily('ad_requests'),
  'Show Rate (Demand)': over(count('impressions'), count('attempts')),
  'Show Rate (Inv)': over(count('impressions'), count('ad_requests')),
  'Waterfall Depth': over(count('attempts'), count('ad_requests')),
  'Waterfall Latency': over(count('waterfall_latency_ms'), count('ad_requests')),
}
