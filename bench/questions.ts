import type { Day } from '../src/query/day.ts'

/** A question in both languages: the body that the API gets, and the SQL that an engineer would write. */
export type Question = {
  readonly name: string
  readonly cube: string
  /** Takes so long on a large account that it is left out where many ask at once. */
  readonly isHeavy: boolean
  readonly body: object
  readonly sql: (facts: string) => string
}

export function questionsAbout(days: readonly Day[]): readonly Question[] {
  const ask = (dimensions: readonly string[], metrics: readonly string[], more: object = {}): object => ({
    start: days[0],
    end: days.at(-1),
    dimensions,
    metrics,
    limit: 1_000,
    ...more,
  })
  const topFirst = { sort: [{ field: 'Net Revenue', order: 'desc' }] }
  const like = { field: 'Adomain', operator: 'like', value: '%99%' }
  const countries = { field: 'Country', operator: 'in', values: ['country 1', 'country 2', 'country 5'] }
  const os = { field: 'OS', operator: '=', value: 'os 1' }
  const light = { cube: 'auctions', isHeavy: false }
  const heavy = { cube: 'auctions', isHeavy: true }
  return [
    {
      ...light,
      name: 'Totals',
      body: ask([], ['Auctions', 'Cleared', 'Clicks', 'Net Revenue', 'eCPM']),
      sql: (facts) => `SELECT sum(auctions), sum(cleared), sum(clicks), sum(net_revenue),
        1000 * sum(net_revenue) / sum(cleared) FROM ${facts}`,
    },
    {
      ...light,
      name: 'Country',
      body: ask(['Country'], ['Net Revenue', 'Auctions', 'Cleared', 'CTR'], topFirst),
      sql: (facts) => `SELECT country, sum(net_revenue) AS revenue, sum(auctions), sum(cleared),
        sum(clicks) / sum(cleared) FROM ${facts} GROUP BY country ORDER BY revenue DESC, country`,
    },
    {
      ...light,
      name: 'Day x Country',
      body: ask(['Day', 'Country'], ['Auctions', 'Auctions Won', 'Cleared', 'Net Revenue']),
      sql: (facts) => `SELECT day, country, sum(auctions), sum(auctions_won), sum(cleared), sum(net_revenue)
        FROM ${facts} GROUP BY day, country ORDER BY day, country LIMIT 1000`,
    },
    {
      ...heavy,
      name: 'Creative x Country, top 1,000',
      body: ask(['Creative ID', 'Country'], ['Net Revenue', 'Cleared'], topFirst),
      sql: (facts) => `SELECT creative_id, country, sum(net_revenue) AS revenue, sum(cleared)
        FROM ${facts} GROUP BY creative_id, country ORDER BY revenue DESC, creative_id, country LIMIT 1000`,
    },
    {
      ...light,
      name: 'App, two filters',
      body: ask(['App Name'], ['Auctions', 'Net Revenue'], { filters: [countries, os] }),
      sql: (facts) => `SELECT app_name, sum(auctions), sum(net_revenue) FROM ${facts}
        WHERE country IN ('country 1', 'country 2', 'country 5') AND os = 'os 1' GROUP BY app_name ORDER BY app_name`,
    },
    {
      ...light,
      name: "Adomain LIKE '%99%'",
      body: ask(['Adomain'], ['Auctions', 'Net Revenue'], { filters: [like] }),
      sql: (facts) => `SELECT adomain, sum(auctions), sum(net_revenue) FROM ${facts}
        WHERE adomain LIKE '%99%' GROUP BY adomain ORDER BY adomain`,
    },
    {
      ...heavy,
      name: 'Uniques by Country',
      body: ask(['Country'], ['Uniques']),
      sql: (facts) => `SELECT country, count(DISTINCT device)
        FROM (SELECT country, unnest(devices) AS device FROM ${facts}) GROUP BY country ORDER BY country`,
    },
    {
      ...heavy,
      name: 'Req DAU by Country',
      cube: 'platform-performance',
      body: ask(['Country'], ['Req DAU']),
      sql: (facts) => `SELECT country, count(DISTINCT (day, device)) / ${days.length}
        FROM (SELECT day, country, unnest(devices) AS device FROM ${facts} WHERE ad_requests > 0)
        GROUP BY country ORDER BY country`,
    },
  ]
}

/** Both sides must give the same rows, at least one: otherwise their times cannot be compared. */
export function demandSameRows(name: string, apiText: string, direct: readonly (readonly unknown[])[]): void {
  const { data } = JSON.parse(apiText) as { data: readonly Record<string, unknown>[] }
  const api = data.map((row) => Object.values(row))
  const isSame = api.length === direct.length && api.every((row, index) => isSameRow(row, direct[index] ?? []))
  if (isSame && api.length > 0) return
  const start = (rows: readonly unknown[]): string => JSON.stringify(rows.slice(0, 3))
  throw new Error(`${name}: the API and DuckDB answer differently:\n${start(api)}\n${start(direct)}`)
}

/** DuckDB gives wide numbers as text; floating ones may differ in their last digits. */
const isSameRow = (row: readonly unknown[], other: readonly unknown[]): boolean =>
  row.length === other.length && row.every((value, index) => isSameValue(value, other[index]))

const isSameValue = (value: unknown, other: unknown): boolean =>
  typeof value === 'number' ? Math.abs(value - Number(other)) <= 1e-9 * Math.abs(value) : value === other
