import { describe, expect, it } from 'vitest'
import { auctions } from '../../catalog/auctions.ts'
import type { Cube } from '../../catalog/cube.ts'
import { asynchronousLimits } from '../../catalog/limits.ts'
import { platformPerformance } from '../../catalog/platform-performance.ts'
import { parseQuery } from '../../query/parse.ts'
import type { Statement } from '../compile.ts'
import type { Scope } from '../facts.ts'
import { compileQuery } from './compile-query.ts'

const scope: Scope = {
  account: 'acme',
  visible: [
    { day: '2026-11-13', load: 7 },
    { day: '2026-11-14', load: 9 },
  ],
}
const bound = { account: 'acme', days: ['2026-11-13', '2026-11-14'], loads: [7, 9], rows: 11 }

function compile(cube: Cube, body: object, within: Scope = scope): Statement {
  const range = { start: '2026-11-13', end: '2026-11-14', dimensions: [] }
  const parsed = parseQuery({ ...range, ...body }, { cube, limits: asynchronousLimits, today: '2026-11-14' })
  if ('faults' in parsed) throw new Error(JSON.stringify(parsed.faults))
  return compileQuery(parsed.query, within, 11)
}

describe('the SQL of a query', () => {
  it('without dimensions is one row of totals', () => {
    const { sql, params } = compile(auctions, { metrics: ['Auctions', 'Net Revenue', 'Uniques'] })
    expect(sql).toMatchInlineSnapshot(`
      "SELECT
        sums.auctions AS \`Auctions\`,
        sums.net_revenue AS \`Net Revenue\`,
        sums.uniques AS \`Uniques\`
      FROM (
        SELECT sum(toUInt128(facts.auctions)) AS auctions, sum(facts.net_revenue) AS net_revenue, uniqCombined64Merge(14)(facts.devices) AS uniques
        FROM auctions_facts AS facts
        WHERE account = {account:String}
          AND (day, load) IN arrayZip({days:Array(Date)}, {loads:Array(UInt64)})
      ) AS sums
      LIMIT {rows:UInt64}"
    `)
    expect(params).toEqual(bound)
  })

  it('groups by its dimensions, in a total order', () => {
    const { sql } = compile(auctions, {
      dimensions: ['Day', 'Country'],
      metrics: ['eCPM'],
      sort: [{ field: 'CTR', order: 'desc' }],
    })
    expect(sql).toMatchInlineSnapshot(`
      "SELECT
        sums.day AS \`Day\`,
        nullIf(sums.country, '') AS \`Country\`,
        1000 * toFloat64(sums.net_revenue) / nullIf(toFloat64(sums.cleared), 0) AS \`eCPM\`
      FROM (
        SELECT day, country, sum(toUInt128(facts.cleared)) AS cleared, sum(toUInt128(facts.clicks)) AS clicks, sum(facts.net_revenue) AS net_revenue
        FROM auctions_facts AS facts
        WHERE account = {account:String}
          AND (day, load) IN arrayZip({days:Array(Date)}, {loads:Array(UInt64)})
        GROUP BY day, country
      ) AS sums
      ORDER BY toFloat64(sums.clicks) / nullIf(toFloat64(sums.cleared), 0) DESC NULLS LAST, sums.day ASC NULLS LAST, nullIf(sums.country, '') ASC NULLS LAST
      LIMIT {rows:UInt64}"
    `)
  })

  it('reads sums from rollups, and from the facts of loads without one', () => {
    const [first, second] = scope.visible
    const within = { ...scope, visible: [{ ...first!, rollupHas: 'os country' }, second!] }
    const filters = [{ field: 'Country', operator: 'like', value: 'U%' }]
    const { sql, params } = compile(auctions, { dimensions: ['Day'], metrics: ['Auctions'], filters }, within)
    expect(sql).toMatchInlineSnapshot(`
      "SELECT
        sums.day AS \`Day\`,
        sums.auctions AS \`Auctions\`
      FROM (
        SELECT day, sum(toUInt128(facts.auctions)) AS auctions
        FROM (
          SELECT day, value AS country, auctions
          FROM auctions_facts_rollups
          WHERE account = {account:String}
            AND dimension = {dimension:String}
            AND (day, load) IN arrayZip({rolledDays:Array(Date)}, {rolledLoads:Array(UInt64)})
          UNION ALL
          SELECT day, country, auctions
          FROM auctions_facts
          WHERE account = {account:String}
            AND (day, load) IN arrayZip({days:Array(Date)}, {loads:Array(UInt64)})
        ) AS facts
        WHERE country LIKE {filter0:String}
        GROUP BY day
      ) AS sums
      ORDER BY sums.day ASC NULLS LAST
      LIMIT {rows:UInt64}"
    `)
    expect(params).toMatchObject({
      dimension: 'country',
      rolledDays: [first!.day],
      rolledLoads: [first!.load],
      days: [second!.day],
      loads: [second!.load],
    })
  })

  it('binds the values of its filters', () => {
    const { sql, params } = compile(auctions, {
      metrics: ['Clicks'],
      filters: [
        { field: 'Country', operator: '=', value: "'; DROP TABLE x --" },
        { field: 'Day', operator: 'like', value: String.raw`2026\-11-1\%\_%` },
        { field: 'OS', operator: 'not in', values: ['iOS', ''] },
      ],
    })
    expect(sql).toMatchInlineSnapshot(`
      "SELECT
        sums.clicks AS \`Clicks\`
      FROM (
        SELECT sum(toUInt128(facts.clicks)) AS clicks
        FROM auctions_facts AS facts
        WHERE account = {account:String}
          AND (day, load) IN arrayZip({days:Array(Date)}, {loads:Array(UInt64)})
          AND country = {filter0:String}
          AND toString(day) LIKE {filter1:String}
          AND NOT (os IN {filter2:Array(String)})
      ) AS sums
      LIMIT {rows:UInt64}"
    `)
    expect(params).toEqual({
      ...bound,
      filter0: "'; DROP TABLE x --",
      filter1: String.raw`2026-11-1\%\_%`,
      filter2: ['iOS', ''],
    })
  })

  it('sums per day first if it averages distinct devices over days', () => {
    const { sql } = compile(platformPerformance, {
      dimensions: ['Country'],
      metrics: ['Req DAU', 'Uniques', 'Adserver Revenue', 'Clk DAU'],
      filters: [{ field: 'Day', operator: 'in', values: ['2026-11-13'] }],
    })
    expect(sql).toMatchInlineSnapshot(`
      "SELECT
        nullIf(sums.country, '') AS \`Country\`,
        sums.daily_ad_requests / nullIf(arrayUniq(arrayFilter(day -> toString(day) IN {filter0:Array(String)}, {days:Array(Date)})), 0) AS \`Req DAU\`,
        sums.uniques AS \`Uniques\`,
        sums.revenue AS \`Adserver Revenue\`,
        sums.daily_clicks / nullIf(arrayUniq(arrayFilter(day -> toString(day) IN {filter0:Array(String)}, {days:Array(Date)})), 0) AS \`Clk DAU\`
      FROM (
        SELECT country, sum(daily.revenue) AS revenue, uniqCombined64Merge(14)(daily.devices) AS uniques, sum(daily.daily_ad_requests) AS daily_ad_requests, sum(daily.daily_clicks) AS daily_clicks
        FROM (
          SELECT day, country, sum(facts.revenue) AS revenue, uniqCombined64MergeState(14)(facts.devices) AS devices, uniqCombined64MergeIf(14)(facts.devices, facts.ad_requests > 0) AS daily_ad_requests, uniqCombined64MergeIf(14)(facts.devices, facts.clicks > 0) AS daily_clicks
          FROM platform_performance_facts AS facts
          WHERE account = {account:String}
            AND (day, load) IN arrayZip({days:Array(Date)}, {loads:Array(UInt64)})
            AND toString(day) IN {filter0:Array(String)}
          GROUP BY day, country
        ) AS daily
        GROUP BY country
      ) AS sums
      ORDER BY nullIf(sums.country, '') ASC NULLS LAST
      LIMIT {rows:UInt64}"
    `)
  })

  it('sums once if it is grouped by day', () => {
    const { sql } = compile(platformPerformance, { dimensions: ['Day'], metrics: ['Req DAU'] })
    expect(sql).toMatchInlineSnapshot(`
      "SELECT
        sums.day AS \`Day\`,
        sums.daily_ad_requests AS \`Req DAU\`
      FROM (
        SELECT day, uniqCombined64MergeIf(14)(facts.devices, facts.ad_requests > 0) AS daily_ad_requests
        FROM platform_performance_facts AS facts
        WHERE account = {account:String}
          AND (day, load) IN arrayZip({days:Array(Date)}, {loads:Array(UInt64)})
        GROUP BY day
      ) AS sums
      ORDER BY sums.day ASC NULLS LAST
      LIMIT {rows:UInt64}"
    `)
  })
})

describe('a pattern', () => {
  const boundPattern = (value: string) =>
    compile(auctions, { metrics: ['Auctions'], filters: [{ field: 'OS', operator: 'like', value }] }).params.filter0

  it.each([
    ['%a_b%', '%a_b%'],
    [String.raw`100\%`, String.raw`100\%`],
    [String.raw`a\_b`, String.raw`a\_b`],
    [String.raw`C:\\dir`, String.raw`C:\\dir`],
    [String.raw`\a\b`, 'ab'],
    [String.raw`\\a`, String.raw`\\a`],
    [String.raw`\\\a`, String.raw`\\a`],
    [String.raw`\\\%`, String.raw`\\\%`],
    ['\\\n', '\n'],
    ['\\😀', '😀'],
    ["\\'", "'"],
    ['', ''],
  ])('%j is bound as %j', (given, expected) => {
    expect(boundPattern(given)).toBe(expected)
  })
})
