import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { auctions } from '../catalog/auctions.ts'
import type { Cube } from '../catalog/cube.ts'
import { cubes } from '../catalog/cubes.ts'
import { asynchronousLimits } from '../catalog/limits.ts'
import { platformPerformance } from '../catalog/platform-performance.ts'
import { compileQuery, type Scope, type Statement } from './compile.ts'
import { parseQuery } from './parse.ts'

const scope: Scope = {
  account: 'acc_1',
  visible: [
    { day: '2026-11-13', load: 7 },
    { day: '2026-11-14', load: 8 },
    { day: '2026-11-14', load: 9 },
  ],
}
const bound = { account: 'acc_1', days: ['2026-11-13', '2026-11-14', '2026-11-14'], loads: [7, 8, 9], rows: 11 }

function compile(cube: Cube, body: object, within = scope): Statement {
  const range = { start: '2026-11-13', end: '2026-11-14' }
  const context = { cube, limits: asynchronousLimits, today: '2026-11-14' }
  const parsed = parseQuery({ ...range, dimensions: [], ...body }, context)
  if ('faults' in parsed) throw new Error(`Refused: ${JSON.stringify(parsed.faults)}`)
  return compileQuery(parsed.query, within, 11)
}

const ofAuctions = (body: object) => compile(auctions, body)
const ofPlatform = (body: object) => compile(platformPerformance, body)

describe('the SQL of a query', () => {
  it('without dimensions is one row of totals', () => {
    const { sql, params } = ofAuctions({ metrics: ['Auctions'] })
    expect(sql).toMatchInlineSnapshot(`
      "SELECT
        sum(auctions) AS \`Auctions\`
      FROM auctions_facts AS facts
      WHERE facts.account = {account:String}
        AND (facts.day, facts.load) IN arrayZip({days:Array(Date)}, {loads:Array(UInt64)})
      LIMIT {rows:UInt64}"
    `)
    expect(params).toEqual(bound)
  })

  it('with one dimension groups and orders by it', () => {
    const { sql, params } = ofAuctions({ dimensions: ['Country'], metrics: ['Auctions'] })
    expect(sql).toMatchInlineSnapshot(`
      "SELECT
        nullIf(country, '') AS \`Country\`,
        sum(auctions) AS \`Auctions\`
      FROM auctions_facts AS facts
      WHERE facts.account = {account:String}
        AND (facts.day, facts.load) IN arrayZip({days:Array(Date)}, {loads:Array(UInt64)})
      GROUP BY country
      ORDER BY \`Country\` ASC NULLS LAST
      LIMIT {rows:UInt64}"
    `)
    expect(params).toEqual(bound)
  })

  it('with two dimensions orders by both, in the order asked', () => {
    const { sql, params } = ofAuctions({ dimensions: ['Ad Size', 'Day'], metrics: ['Clicks', 'Auctions'] })
    expect(sql).toMatchInlineSnapshot(`
      "SELECT
        nullIf(ad_size, '') AS \`Ad Size\`,
        day AS \`Day\`,
        sum(clicks) AS \`Clicks\`,
        sum(auctions) AS \`Auctions\`
      FROM auctions_facts AS facts
      WHERE facts.account = {account:String}
        AND (facts.day, facts.load) IN arrayZip({days:Array(Date)}, {loads:Array(UInt64)})
      GROUP BY ad_size, day
      ORDER BY \`Ad Size\` ASC NULLS LAST, \`Day\` ASC NULLS LAST
      LIMIT {rows:UInt64}"
    `)
    expect(params).toEqual(bound)
  })

  it('divides sums, money as floats, and never by zero', () => {
    const { sql, params } = ofAuctions({ metrics: ['Net Revenue', 'CTR', 'Bid Avg', 'eCPM'] })
    expect(sql).toMatchInlineSnapshot(`
      "SELECT
        sum(net_revenue) AS \`Net Revenue\`,
        if(sum(cleared) = 0, NULL, sum(clicks) / sum(cleared)) AS \`CTR\`,
        if(sum(bids) = 0, NULL, toFloat64(sum(bid_amount)) / sum(bids)) AS \`Bid Avg\`,
        if(sum(cleared) = 0, NULL, 1000 * toFloat64(sum(net_revenue)) / sum(cleared)) AS \`eCPM\`
      FROM auctions_facts AS facts
      WHERE facts.account = {account:String}
        AND (facts.day, facts.load) IN arrayZip({days:Array(Date)}, {loads:Array(UInt64)})
      LIMIT {rows:UInt64}"
    `)
    expect(params).toEqual(bound)
  })

  it('merges the sketches of the devices for Uniques', () => {
    const { sql, params } = ofAuctions({ dimensions: ['OS'], metrics: ['Uniques'] })
    expect(sql).toMatchInlineSnapshot(`
      "SELECT
        nullIf(os, '') AS \`OS\`,
        uniqCombined64Merge(14)(devices) AS \`Uniques\`
      FROM auctions_facts AS facts
      WHERE facts.account = {account:String}
        AND (facts.day, facts.load) IN arrayZip({days:Array(Date)}, {loads:Array(UInt64)})
      GROUP BY os
      ORDER BY \`OS\` ASC NULLS LAST
      LIMIT {rows:UInt64}"
    `)
    expect(params).toEqual(bound)
  })
})

describe('the SQL of a filter', () => {
  it('compares a dimension by each of the four operators', () => {
    const { sql, params } = ofAuctions({
      metrics: ['Auctions'],
      filters: [
        { field: 'Country', operator: '=', value: 'US' },
        { field: 'App Name', operator: 'LIKE', value: 'Puzzle%' },
        { field: 'OS', operator: 'In', values: ['iOS', 'Android'] },
        { field: 'Device', operator: 'not in', values: ['Pixel'] },
      ],
    })
    expect(sql).toMatchInlineSnapshot(`
      "SELECT
        sum(auctions) AS \`Auctions\`
      FROM auctions_facts AS facts
      WHERE facts.account = {account:String}
        AND (facts.day, facts.load) IN arrayZip({days:Array(Date)}, {loads:Array(UInt64)})
        AND facts.country = {filter0:String}
        AND facts.app_name LIKE {filter1:String}
        AND facts.os IN {filter2:Array(String)}
        AND facts.device NOT IN {filter3:Array(String)}
      LIMIT {rows:UInt64}"
    `)
    expect(params).toEqual({
      ...bound,
      filter0: 'US',
      filter1: 'Puzzle%',
      filter2: ['iOS', 'Android'],
      filter3: ['Pixel'],
    })
  })

  it('compares Day as text by each of the four operators', () => {
    const { sql, params } = ofAuctions({
      dimensions: ['Day'],
      metrics: ['Auctions'],
      filters: [
        { field: 'Day', operator: '=', value: '2026-11-14' },
        { field: 'Day', operator: 'like', value: '2026-11-%' },
        { field: 'Day', operator: 'in', values: ['2026-11-14', 'never'] },
        { field: 'Day', operator: 'not in', values: ['2026-11-13'] },
      ],
    })
    expect(sql).toMatchInlineSnapshot(`
      "SELECT
        day AS \`Day\`,
        sum(auctions) AS \`Auctions\`
      FROM auctions_facts AS facts
      WHERE facts.account = {account:String}
        AND (facts.day, facts.load) IN arrayZip({days:Array(Date)}, {loads:Array(UInt64)})
        AND toString(facts.day) = {filter0:String}
        AND toString(facts.day) LIKE {filter1:String}
        AND toString(facts.day) IN {filter2:Array(String)}
        AND toString(facts.day) NOT IN {filter3:Array(String)}
      GROUP BY day
      ORDER BY \`Day\` ASC NULLS LAST
      LIMIT {rows:UInt64}"
    `)
    expect(params).toEqual({
      ...bound,
      filter0: '2026-11-14',
      filter1: '2026-11-%',
      filter2: ['2026-11-14', 'never'],
      filter3: ['2026-11-13'],
    })
  })

  it('finds a missing value by the empty string that stands for it in the facts', () => {
    const filters = [{ field: 'Country', operator: '=', value: '' }]
    const { sql, params } = ofAuctions({ metrics: ['Auctions'], filters })
    expect(sql).toContain('AND facts.country = {filter0:String}')
    expect(params).toEqual({ ...bound, filter0: '' })
  })
})

describe('the order of the rows', () => {
  const orderOf = ({ sql }: Statement) => sql.split('\n').filter((line) => line.startsWith('ORDER BY'))

  it('is by a selected metric first, then by the dimensions', () => {
    const sort = [{ field: 'CTR', order: 'Desc' }]
    expect(orderOf(ofAuctions({ dimensions: ['Country', 'OS'], metrics: ['CTR'], sort }))).toMatchInlineSnapshot(`
      [
        "ORDER BY \`CTR\` DESC NULLS LAST, \`Country\` ASC NULLS LAST, \`OS\` ASC NULLS LAST",
      ]
    `)
  })

  it('can be by a metric that is not selected, of any formula', () => {
    const sort = ['Clicks', 'eCPM', 'Uniques'].map((field) => ({ field }))
    const statement = ofAuctions({ dimensions: ['Country'], metrics: ['CTR'], sort })
    expect(statement.sql).toMatchInlineSnapshot(`
      "SELECT
        nullIf(country, '') AS \`Country\`,
        if(sum(cleared) = 0, NULL, sum(clicks) / sum(cleared)) AS \`CTR\`
      FROM auctions_facts AS facts
      WHERE facts.account = {account:String}
        AND (facts.day, facts.load) IN arrayZip({days:Array(Date)}, {loads:Array(UInt64)})
      GROUP BY country
      ORDER BY sum(clicks) ASC NULLS LAST, if(sum(cleared) = 0, NULL, 1000 * toFloat64(sum(net_revenue)) / sum(cleared)) ASC NULLS LAST, uniqCombined64Merge(14)(devices) ASC NULLS LAST, \`Country\` ASC NULLS LAST
      LIMIT {rows:UInt64}"
    `)
    expect(statement.params).toEqual(bound)
  })

  it('is by a dimension as asked, and by the others after it', () => {
    const sort = [{ field: 'OS', order: 'desc' }, { field: 'Clicks' }]
    const body = { dimensions: ['Country', 'OS', 'Day'], metrics: ['Clicks'], sort }
    expect(orderOf(ofAuctions(body))).toMatchInlineSnapshot(`
      [
        "ORDER BY \`OS\` DESC NULLS LAST, \`Clicks\` ASC NULLS LAST, \`Country\` ASC NULLS LAST, \`Day\` ASC NULLS LAST",
      ]
    `)
  })

  it('is total: every dimension is in it once', () => {
    const body = { dimensions: ['Country', 'OS'], metrics: ['Clicks'], sort: [{ field: 'OS' }, { field: 'Country' }] }
    expect(orderOf(ofAuctions(body))).toEqual(['ORDER BY `OS` ASC NULLS LAST, `Country` ASC NULLS LAST'])
  })
})

describe('the SQL of daily devices', () => {
  it('by day counts them in one step', () => {
    const { sql, params } = ofPlatform({ dimensions: ['Country', 'Day'], metrics: ['Req DAU', 'Imp DAU'] })
    expect(sql).toMatchInlineSnapshot(`
      "SELECT
        nullIf(country, '') AS \`Country\`,
        day AS \`Day\`,
        uniqCombined64MergeIf(14)(facts.devices, facts.ad_requests > 0) AS \`Req DAU\`,
        uniqCombined64MergeIf(14)(facts.devices, facts.impressions > 0) AS \`Imp DAU\`
      FROM platform_performance_facts AS facts
      WHERE facts.account = {account:String}
        AND (facts.day, facts.load) IN arrayZip({days:Array(Date)}, {loads:Array(UInt64)})
      GROUP BY country, day
      ORDER BY \`Country\` ASC NULLS LAST, \`Day\` ASC NULLS LAST
      LIMIT {rows:UInt64}"
    `)
    expect(params).toEqual(bound)
  })

  it('over days counts them a day first, then takes the mean over the loaded days', () => {
    const { sql, params } = ofPlatform({ metrics: ['Req DAU'] })
    expect(sql).toMatchInlineSnapshot(`
      "SELECT
        if(arrayUniq({days:Array(Date)}) = 0, NULL, sum(devices_with_ad_requests) / arrayUniq({days:Array(Date)})) AS \`Req DAU\`
      FROM (
        SELECT
          facts.day AS day,
          uniqCombined64MergeIf(14)(facts.devices, facts.ad_requests > 0) AS devices_with_ad_requests
        FROM platform_performance_facts AS facts
        WHERE facts.account = {account:String}
          AND (facts.day, facts.load) IN arrayZip({days:Array(Date)}, {loads:Array(UInt64)})
        GROUP BY facts.day
      )
      LIMIT {rows:UInt64}"
    `)
    expect(params).toEqual(bound)
  })

  it('over days with a filter on Day takes the mean over the days that it lets through', () => {
    const { sql, params } = ofPlatform({
      dimensions: ['Country'],
      metrics: ['Clk DAU'],
      filters: [
        { field: 'OS', operator: '=', value: 'iOS' },
        { field: 'Day', operator: 'in', values: ['2026-11-13'] },
        { field: 'Day', operator: 'like', value: '2026-%' },
      ],
    })
    expect(sql).toMatchInlineSnapshot(`
      "SELECT
        nullIf(country, '') AS \`Country\`,
        if(arrayUniq(arrayFilter(day -> toString(day) IN {filter1:Array(String)} AND toString(day) LIKE {filter2:String}, {days:Array(Date)})) = 0, NULL, sum(devices_with_clicks) / arrayUniq(arrayFilter(day -> toString(day) IN {filter1:Array(String)} AND toString(day) LIKE {filter2:String}, {days:Array(Date)}))) AS \`Clk DAU\`
      FROM (
        SELECT
          facts.day AS day,
          facts.country AS country,
          uniqCombined64MergeIf(14)(facts.devices, facts.clicks > 0) AS devices_with_clicks
        FROM platform_performance_facts AS facts
        WHERE facts.account = {account:String}
          AND (facts.day, facts.load) IN arrayZip({days:Array(Date)}, {loads:Array(UInt64)})
          AND facts.os = {filter0:String}
          AND toString(facts.day) IN {filter1:Array(String)}
          AND toString(facts.day) LIKE {filter2:String}
        GROUP BY facts.day, facts.country
      )
      GROUP BY country
      ORDER BY \`Country\` ASC NULLS LAST
      LIMIT {rows:UInt64}"
    `)
    expect(params).toEqual({ ...bound, filter0: 'iOS', filter1: ['2026-11-13'], filter2: '2026-%' })
  })

  it('together with Uniques, sums and ratios folds all of them in the same first step', () => {
    const { sql, params } = ofPlatform({
      dimensions: ['App Name', 'OS'],
      metrics: ['Imp DAU', 'Clk DAU', 'Uniques', 'Adserver Clicks', 'Adserver eCPM'],
      sort: [{ field: 'Adserver CTR', order: 'desc' }, { field: 'Imp DAU' }],
    })
    expect(sql).toMatchInlineSnapshot(`
      "SELECT
        nullIf(app_name, '') AS \`App Name\`,
        nullIf(os, '') AS \`OS\`,
        if(arrayUniq({days:Array(Date)}) = 0, NULL, sum(devices_with_impressions) / arrayUniq({days:Array(Date)})) AS \`Imp DAU\`,
        if(arrayUniq({days:Array(Date)}) = 0, NULL, sum(devices_with_clicks) / arrayUniq({days:Array(Date)})) AS \`Clk DAU\`,
        uniqCombined64Merge(14)(devices) AS \`Uniques\`,
        sum(clicks) AS \`Adserver Clicks\`,
        if(sum(impressions) = 0, NULL, 1000 * toFloat64(sum(revenue)) / sum(impressions)) AS \`Adserver eCPM\`
      FROM (
        SELECT
          facts.day AS day,
          facts.app_name AS app_name,
          facts.os AS os,
          sum(facts.impressions) AS impressions,
          sum(facts.clicks) AS clicks,
          sum(facts.revenue) AS revenue,
          uniqCombined64MergeIf(14)(facts.devices, facts.impressions > 0) AS devices_with_impressions,
          uniqCombined64MergeIf(14)(facts.devices, facts.clicks > 0) AS devices_with_clicks,
          uniqCombined64MergeState(14)(facts.devices) AS devices
        FROM platform_performance_facts AS facts
        WHERE facts.account = {account:String}
          AND (facts.day, facts.load) IN arrayZip({days:Array(Date)}, {loads:Array(UInt64)})
        GROUP BY facts.day, facts.app_name, facts.os
      )
      GROUP BY app_name, os
      ORDER BY if(sum(impressions) = 0, NULL, sum(clicks) / sum(impressions)) DESC NULLS LAST, \`Imp DAU\` ASC NULLS LAST, \`App Name\` ASC NULLS LAST, \`OS\` ASC NULLS LAST
      LIMIT {rows:UInt64}"
    `)
    expect(params).toEqual(bound)
  })

  it('that are only sorted by takes two steps too', () => {
    const body = { dimensions: ['Country'], metrics: ['Fills'], sort: [{ field: 'Req DAU', order: 'desc' }] }
    const { sql, params } = ofPlatform(body)
    expect(sql).toMatchInlineSnapshot(`
      "SELECT
        nullIf(country, '') AS \`Country\`,
        sum(fills) AS \`Fills\`
      FROM (
        SELECT
          facts.day AS day,
          facts.country AS country,
          sum(facts.fills) AS fills,
          uniqCombined64MergeIf(14)(facts.devices, facts.ad_requests > 0) AS devices_with_ad_requests
        FROM platform_performance_facts AS facts
        WHERE facts.account = {account:String}
          AND (facts.day, facts.load) IN arrayZip({days:Array(Date)}, {loads:Array(UInt64)})
        GROUP BY facts.day, facts.country
      )
      GROUP BY country
      ORDER BY if(arrayUniq({days:Array(Date)}) = 0, NULL, sum(devices_with_ad_requests) / arrayUniq({days:Array(Date)})) DESC NULLS LAST, \`Country\` ASC NULLS LAST
      LIMIT {rows:UInt64}"
    `)
    expect(params).toEqual(bound)
  })
})

describe('a LIKE pattern', () => {
  const boundPattern = (value: string) =>
    ofAuctions({ metrics: ['Auctions'], filters: [{ field: 'OS', operator: 'like', value }] }).params.filter0

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

  /** Each character as what it means: a wildcard, or itself. `escapes` says before which a backslash is an escape. */
  function meaningOf(pattern: string, escapes: (character: string) => boolean): string[] {
    const characters = Array.from(pattern)
    const meaning: string[] = []
    for (let at = 0; at < characters.length; at++) {
      const [character = '', next] = characters.slice(at, at + 2)
      if (character === '\\' && next !== undefined && escapes(next)) {
        meaning.push(`literally ${next}`)
        at++
      } else {
        meaning.push('%_'.includes(character) ? `any ${character}` : `literally ${character}`)
      }
    }
    return meaning
  }

  it('means to the engine, which escapes only wildcards and backslashes, what it means to the caller', () => {
    const character = fc.oneof(
      fc.constantFrom('\\', '%', '_', 'a'),
      fc.string({ unit: 'binary', maxLength: 1, minLength: 1 }),
    )
    const pattern = fc.array(character, { maxLength: 12 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(pattern, (given) => {
        fc.pre((/\\*$/.exec(given)?.[0].length ?? 0) % 2 === 0)
        const toEngine = meaningOf(String(boundPattern(given)), (next) => '\\%_'.includes(next))
        expect(toEngine).toEqual(meaningOf(given, () => true))
      }),
      { numRuns: 300 },
    )
  })
})

describe('no value', () => {
  const operators = ['=', 'like', 'in', 'not in'] as const
  const filterBy = (operator: (typeof operators)[number], field: string, value: string) =>
    operator === '=' || operator === 'like' ? { field, operator, value } : { field, operator, values: [value, 'other'] }

  const value = fc
    .oneof(
      fc.string({ minLength: 4, unit: 'binary' }),
      fc.string({ minLength: 4 }),
      fc.constantFrom("' OR 1=1 --", '{account:Int8}', '`Site`, 1', '"; DROP TABLE x', "\\' OR ''='", '*/ UNION ALL'),
    )
    // A pattern that ends in a backslash is refused before it comes here.
    .map((text) => text.replace(/\\+$/, 'end'))
    .filter((text) => text.length > 3)

  it.each(cubes.map((cube) => [cube.alias, cube] as const))('of a request is ever in the SQL (%s)', (_, cube) => {
    const shape = fc.record({
      operator: fc.constantFrom(...operators),
      field: fc.constantFrom(...cube.dimensions.map(({ name }) => name)),
      metrics: fc.uniqueArray(fc.constantFrom(...cube.metrics.map(({ name }) => name)), { minLength: 1, maxLength: 5 }),
      dimensions: fc.uniqueArray(fc.constantFrom(...cube.dimensions.map(({ name }) => name)), { maxLength: 3 }),
    })
    fc.assert(
      fc.property(shape, value, fc.integer({ min: 1, max: 1e9 }), ({ operator, field, ...rest }, text, load) => {
        const plain = compile(cube, { ...rest, filters: [filterBy(operator, field, 'plain')] })
        // Some words, such as "facts", stand in the SQL of every query.
        fc.pre(!plain.sql.includes(text))
        const within = { account: text, visible: [{ day: '2026-11-01', load }] }
        const { sql, params } = compile(cube, { ...rest, filters: [filterBy(operator, field, text)] }, within)
        expect(sql).not.toContain(text)
        expect(sql).toBe(plain.sql)
        expect(params).toMatchObject({ account: text, days: ['2026-11-01'], loads: [load] })
        if (operator === '=') expect(params.filter0).toBe(text)
        if (operator.endsWith('in')) expect(params.filter0).toEqual([text, 'other'])
      }),
      { numRuns: 300 },
    )
  })

  it('is bound that the SQL has no place for, and every place in the SQL has its value', () => {
    const cubeAndFilters = fc.record({
      cube: fc.constantFrom(...cubes),
      filters: fc.array(fc.tuple(fc.constantFrom(...operators), fc.constantFrom('Day', 'OS'), value), { maxLength: 5 }),
      at: fc.nat(),
      isByDay: fc.boolean(),
    })
    fc.assert(
      fc.property(cubeAndFilters, ({ cube, filters, at, isByDay }) => {
        const metric = cube.metrics[at % cube.metrics.length]?.name
        const { sql, params } = compile(cube, {
          metrics: [metric],
          dimensions: isByDay ? ['Day'] : [],
          filters: filters.map(([operator, field, text]) => filterBy(operator, field, text)),
        })
        const places = [...sql.matchAll(/\{(\w+):[\w()]+\}/g)].map((match) => match[1])
        expect(new Set(places)).toEqual(new Set(Object.keys(params)))
      }),
      { numRuns: 200 },
    )
  })
})
