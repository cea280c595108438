import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { auctions } from '../../catalog/auctions.ts'
import type { Cube } from '../../catalog/cube.ts'
import { cubes } from '../../catalog/cubes.ts'
import { asynchronousLimits } from '../../catalog/limits.ts'
import { platformPerformance } from '../../catalog/platform-performance.ts'
import { parseQuery } from '../../query/parse.ts'
import type { Statement } from '../compile.ts'
import { FactFolder } from '../fact-folder.ts'
import type { Scope } from '../facts.ts'
import { compileQuery } from './compile-query.ts'
import { filesOf } from './merged-files.ts'

type Rolled = NonNullable<Parameters<typeof compileQuery>[2]['rolled']>

const scope: Scope = {
  account: 'acc-1',
  visible: [
    { day: '2026-11-13', load: 7 },
    { day: '2026-11-14', load: 8 },
    { day: '2026-11-14', load: 9 },
  ],
}

function compile(cube: Cube, body: object, within = scope, rolled?: Rolled): Statement {
  const range = { start: '2026-11-13', end: '2026-11-14' }
  const context = { cube, limits: asynchronousLimits, today: '2026-11-14' }
  const parsed = parseQuery({ ...range, dimensions: [], ...body }, context)
  if ('faults' in parsed) throw new Error(`Refused: ${JSON.stringify(parsed.faults)}`)
  return compileQuery(parsed.query, within, {
    files: filesOf(new FactFolder('/'), cube, within),
    ...(rolled && { rolled }),
    rows: 11,
  })
}

const ofAuctions = (body: object, within = scope) => compile(auctions, body, within)
const ofPlatform = (body: object) => compile(platformPerformance, body)

describe('the SQL of a query', () => {
  it('without dimensions is one row of totals, from exactly the files of its scope', () => {
    const { sql, params } = ofAuctions({ metrics: ['Auctions'] })
    expect(sql).toMatchInlineSnapshot(`
      "SELECT
        sums.auctions AS "Auctions"
      FROM (
        SELECT coalesce(sum(auctions), 0) AS auctions
        FROM read_parquet($files, hive_partitioning = false)
      ) AS sums
      LIMIT $rows"
    `)
    expect(params).toEqual({
      files: [
        '/facts/auctions/7/account=acc-1/day=2026-11-13/facts_0.parquet',
        '/facts/auctions/8/account=acc-1/day=2026-11-14/facts_0.parquet',
        '/facts/auctions/9/account=acc-1/day=2026-11-14/facts_0.parquet',
      ],
      rows: 11,
    })
  })

  it('of days without facts reads no file and still has every column', () => {
    const { sql, params } = ofPlatform({ dimensions: ['Day'], metrics: ['Fills', 'Req DAU'] })
    const none = compile(
      platformPerformance,
      { dimensions: ['Day'], metrics: ['Fills', 'Req DAU'] },
      { ...scope, visible: [] },
    )
    expect(params).toHaveProperty('files')
    expect(none.params).toEqual({ rows: 11 })
    expect(
      none.sql.replaceAll(
        /\(SELECT NULL::DATE AS day, NULL::VARCHAR AS account_key.* LIMIT 0\)/g,
        'read_parquet($files, hive_partitioning = false)',
      ),
    ).toBe(sql)
  })

  it('groups by the dimensions, and orders by all of them', () => {
    const { sql } = ofAuctions({ dimensions: ['Ad Size', 'Day'], metrics: ['Clicks', 'Auctions'] })
    expect(sql).toMatchInlineSnapshot(`
      "SELECT
        nullIf(sums.ad_size, '') AS "Ad Size",
        sums.day AS "Day",
        sums.clicks AS "Clicks",
        sums.auctions AS "Auctions"
      FROM (
        SELECT ad_size, day, coalesce(sum(auctions), 0) AS auctions, coalesce(sum(clicks), 0) AS clicks
        FROM read_parquet($files, hive_partitioning = false)
        GROUP BY ad_size, day
      ) AS sums
      ORDER BY nullIf(sums.ad_size, '') ASC NULLS LAST, sums.day ASC NULLS LAST
      LIMIT $rows"
    `)
  })

  it('divides sums as floating-point numbers, and never by zero', () => {
    expect(ofAuctions({ metrics: ['eCPM', 'CTR'] }).sql).toMatchInlineSnapshot(`
      "SELECT
        1000 * sums.net_revenue::DOUBLE / nullIf(sums.cleared::DOUBLE, 0) AS "eCPM",
        sums.clicks::DOUBLE / nullIf(sums.cleared::DOUBLE, 0) AS "CTR"
      FROM (
        SELECT coalesce(sum(cleared), 0) AS cleared, coalesce(sum(clicks), 0) AS clicks, coalesce(sum(net_revenue), 0) AS net_revenue
        FROM read_parquet($files, hive_partitioning = false)
      ) AS sums
      LIMIT $rows"
    `)
  })

  it('counts devices apart from the sums', () => {
    const { sql } = ofAuctions({ dimensions: ['Country'], metrics: ['Uniques', 'Auctions'] })
    expect(sql).toMatchInlineSnapshot(`
      "SELECT
        nullIf(sums.country, '') AS "Country",
        sums.uniques AS "Uniques",
        sums.auctions AS "Auctions"
      FROM (
        SELECT sums.*, coalesce(devices.uniques, 0) AS uniques
        FROM (
          SELECT country, coalesce(sum(auctions), 0) AS auctions
          FROM read_parquet($files, hive_partitioning = false)
          GROUP BY country
        ) AS sums
        LEFT JOIN (
          SELECT country, count(DISTINCT device_hash) AS uniques
          FROM (
            SELECT country, unnest(devices) AS device_hash
            FROM read_parquet($files, hive_partitioning = false)
          )
          GROUP BY country
        ) AS devices USING (country)
      ) AS sums
      ORDER BY nullIf(sums.country, '') ASC NULLS LAST
      LIMIT $rows"
    `)
  })

  it('reads sums from rollups and from the facts of loads without one, and devices from all facts', () => {
    const rolled = {
      dimension: 'country',
      rollups: [{ path: '/facts/7.rollup' }],
      others: [{ path: '/facts/8.parquet' }],
    }
    const body = {
      dimensions: ['Country'],
      metrics: ['Auctions', 'Uniques'],
      filters: [{ field: 'Day', operator: '=', value: '2026-11-14' }],
    }
    const { sql, params } = compile(auctions, body, scope, rolled)
    expect(sql).toMatchInlineSnapshot(`
      "SELECT
        nullIf(sums.country, '') AS "Country",
        sums.auctions AS "Auctions",
        sums.uniques AS "Uniques"
      FROM (
        SELECT sums.*, coalesce(devices.uniques, 0) AS uniques
        FROM (
          SELECT country, coalesce(sum(auctions), 0) AS auctions
          FROM (
            SELECT day, value AS country, auctions FROM read_parquet($rollups, hive_partitioning = false) WHERE dimension = $dimension
            UNION ALL
            SELECT day, country, auctions FROM read_parquet($others, hive_partitioning = false)
          )
          WHERE day::VARCHAR = $filter0
          GROUP BY country
        ) AS sums
        LEFT JOIN (
          SELECT country, count(DISTINCT device_hash) AS uniques
          FROM (
            SELECT country, unnest(devices) AS device_hash
            FROM read_parquet($files, hive_partitioning = false)
            WHERE day::VARCHAR = $filter0
          )
          GROUP BY country
        ) AS devices USING (country)
      ) AS sums
      ORDER BY nullIf(sums.country, '') ASC NULLS LAST
      LIMIT $rows"
    `)
    expect(params).toMatchObject({ dimension: 'country', rollups: ['/facts/7.rollup'], others: ['/facts/8.parquet'] })
    expect(compile(auctions, { ...body, metrics: ['Auctions'] }, scope, rolled).params).not.toHaveProperty('files')
  })

  it('averages devices per day over the loaded days that pass the filters on Day', () => {
    const filters = [{ field: 'Day', operator: 'like', value: '2026-11-1%' }]
    const { sql, params } = ofPlatform({ dimensions: ['OS'], metrics: ['Req DAU'], filters })
    expect(sql).toMatchInlineSnapshot(`
      "SELECT
        nullIf(sums.os, '') AS "OS",
        sums.daily_ad_requests / nullIf((SELECT count(DISTINCT day) FROM (SELECT unnest($days) AS day) WHERE day LIKE $filter0), 0) AS "Req DAU"
      FROM (
        SELECT sums.*, coalesce(devices.daily_ad_requests, 0) AS daily_ad_requests
        FROM (
          SELECT os
          FROM read_parquet($files, hive_partitioning = false)
          WHERE day::VARCHAR LIKE $filter0
          GROUP BY os
        ) AS sums
        LEFT JOIN (
          SELECT os, count(DISTINCT row(day, device_hash)) FILTER (ad_requests > 0) AS daily_ad_requests
          FROM (
            SELECT os, day, ad_requests, unnest(devices) AS device_hash
            FROM read_parquet($files, hive_partitioning = false)
            WHERE day::VARCHAR LIKE $filter0
          )
          GROUP BY os
        ) AS devices USING (os)
      ) AS sums
      ORDER BY nullIf(sums.os, '') ASC NULLS LAST
      LIMIT $rows"
    `)
    expect(params).toMatchObject({ days: ['2026-11-13', '2026-11-14', '2026-11-14'], filter0: '2026-11-1%' })
  })

  it('compiles each of the four operators, with short and long lists', () => {
    const many = 'abcdefghi'.split('')
    const { sql, params } = ofAuctions({
      metrics: ['Auctions'],
      filters: [
        { field: 'Country', operator: '=', value: 'US' },
        { field: 'OS', operator: 'like', value: 'i%' },
        { field: 'App Name', operator: 'in', values: many },
        { field: 'Site', operator: 'not in', values: ['c'] },
        { field: 'Publisher', operator: 'like', value: '100\\%' },
      ],
    })
    expect(sql).toMatchInlineSnapshot(`
      "SELECT
        sums.auctions AS "Auctions"
      FROM (
        SELECT coalesce(sum(auctions), 0) AS auctions
        FROM read_parquet($files, hive_partitioning = false)
        WHERE country = $filter0
          AND os LIKE $filter1
          AND app_name IN (SELECT unnest($filter2))
          AND NOT (list_contains($filter3, site))
          AND regexp_full_match(publisher, $filter4, 's')
      ) AS sums
      LIMIT $rows"
    `)
    expect(params).toMatchObject({ filter0: 'US', filter1: 'i%', filter2: many, filter3: ['c'] })
  })
})

describe('the order of the rows', () => {
  const orderOf = ({ sql }: Statement) => sql.split('\n').filter((line) => line.startsWith('ORDER BY'))

  it.each([
    [
      { dimensions: ['Country', 'OS'], metrics: ['Clicks'], sort: [{ field: 'Clicks', order: 'Desc' }] },
      "ORDER BY sums.clicks DESC NULLS LAST, nullIf(sums.country, '') ASC NULLS LAST, nullIf(sums.os, '') ASC NULLS LAST",
    ],
    [
      { dimensions: ['Country'], metrics: ['Clicks'], sort: [{ field: 'Auctions' }] },
      "ORDER BY sums.auctions ASC NULLS LAST, nullIf(sums.country, '') ASC NULLS LAST",
    ],
    [
      { dimensions: ['Country', 'Day'], metrics: ['Clicks'], sort: [{ field: 'Day', order: 'desc' }] },
      "ORDER BY sums.day DESC NULLS LAST, nullIf(sums.country, '') ASC NULLS LAST",
    ],
  ])('is by the sort fields first and then by the other dimensions: %j', (body, order) => {
    expect(orderOf(ofAuctions(body))).toEqual([order])
  })
})

describe('a pattern', () => {
  const like = 'os LIKE $filter0'
  const regex = "regexp_full_match(os, $filter0, 's')"

  it.each([
    ['%', like, '%'],
    ['US', like, 'US'],
    ['U%', like, 'U%'],
    ['%S', like, '%S'],
    ['%U\nS%', like, '%U\nS%'],
    ['%a%b%c', like, '%a%b%c'],
    ['', like, ''],
    [String.raw`\a\b%`, like, 'ab%'],
    [String.raw`C:\\dir%`, like, String.raw`C:\dir%`],

    ['_', regex, '.'],
    ['%_a__b%', regex, '..*a..b.*'],
    ['%_%_%x_%%', regex, '...*x..*'],
    [String.raw`100\%`, regex, String.raw`100\%`],
    [String.raw`a\_b%`, regex, 'a_b.*'],
    [String.raw`\\\%%`, regex, String.raw`\\\%.*`],
    ['_.*+?(){}[]^$|/-', regex, String.raw`.\.\*\+\?\(\)\{\}\[\]\^\$\|\/\-`],
    ['_é😀\n', regex, '.é😀\\\n'],
    ['a\0%', regex, String.raw`a\x00.*`],

    // The optimizer of DuckDB fails on the last byte before the first wildcard.
    ['п', like, 'п'],
    ['п%', like, 'п%'],
    ['п%%', like, 'п%%'],
    ['%п%', like, '%п%'],
    ['п%я', regex, 'п.*я'],
    ['xタ%x%', regex, 'xタ.*x.*'],
    ['\x7f%x', regex, '\\\x7f.*x'],
    ['р%я', like, 'р%я'],
  ])('%j is %s with %j', (value, condition, pattern) => {
    const { sql, params } = ofAuctions({ metrics: ['Auctions'], filters: [{ field: 'OS', operator: 'like', value }] })
    expect(sql).toContain(`WHERE ${condition}\n`)
    expect(params.filter0).toBe(pattern)
  })
})

describe('the parameters', () => {
  const operators = ['=', 'like', 'in', 'not in'] as const
  const filterBy = (operator: (typeof operators)[number], field: string, value: string) =>
    operator === '=' || operator === 'like' ? { field, operator, value } : { field, operator, values: [value, 'other'] }

  const value = fc
    .oneof(
      fc.string({ minLength: 4, unit: 'binary' }),
      fc.string({ minLength: 4 }),
      fc.constantFrom("' OR 1=1 --", '$rows', '"Site", 1', '"; DROP TABLE x', "\\' OR ''='", '*/ UNION ALL'),
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
        // The SQL shows of a pattern only by which of two ways it is matched.
        const plain = ['plain', 'pl_in'].map(
          (other) => compile(cube, { ...rest, filters: [filterBy(operator, field, other)] }).sql,
        )
        // Some words, such as "facts", stand in the SQL of every query.
        fc.pre(!plain.join().includes(text))
        const within = { account: 'a-b', visible: [{ day: '2026-11-01', load }] }
        const { sql, params } = compile(cube, { ...rest, filters: [filterBy(operator, field, text)] }, within)
        expect(sql).not.toContain(text)
        expect(plain).toContain(sql)
        expect(params.files).toEqual([`/facts/${cube.alias}/${load}/account=a-b/day=2026-11-01/facts_0.parquet`])
        if (operator === '=') expect(params.filter0).toBe(text)
        if (operator.endsWith('in')) expect(params.filter0).toEqual([text, 'other'])
      }),
      { numRuns: 300 },
    )
  })

  it('are exactly those that the SQL has', () => {
    const cubeAndFilters = fc.record({
      cube: fc.constantFrom(...cubes),
      filters: fc.array(fc.tuple(fc.constantFrom(...operators), fc.nat({ max: 1 }), value), { maxLength: 5 }),
      at: fc.nat(),
      isByDay: fc.boolean(),
    })
    fc.assert(
      fc.property(cubeAndFilters, ({ cube, filters, at, isByDay }) => {
        const metric = cube.metrics[at % cube.metrics.length]?.name
        const { sql, params } = compile(cube, {
          metrics: [metric],
          dimensions: isByDay ? ['Day'] : [],
          // The first dimension is Day.
          filters: filters.map(([operator, index, text]) => filterBy(operator, cube.dimensions[index]!.name, text)),
        })
        const places = [...sql.matchAll(/\$(\w+)/g)].map((match) => match[1])
        expect(new Set(places)).toEqual(new Set(Object.keys(params)))
      }),
      { numRuns: 200 },
    )
  })
})
