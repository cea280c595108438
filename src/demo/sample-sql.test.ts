import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'
import { beforeAll, describe, expect, it } from 'vitest'
import { auctions } from '../catalog/auctions.ts'
import { cubes } from '../catalog/cubes.ts'
import { firstTables } from '../facts/stored-columns.ts'
import { platformPerformance } from '../catalog/platform-performance.ts'
import { hasSample, sampleSql } from './sample-sql.ts'

// Four whole weeks.
const start = '2026-10-12'
const end = '2026-11-08'

let database: DuckDBConnection

const sampled = cubes.filter(hasSample)

const openDatabase = async (threads: string): Promise<DuckDBConnection> =>
  (await DuckDBInstance.create(':memory:', { threads })).connect()

/** The only value of the answer. */
async function ask(sql: string, connection = database): Promise<unknown> {
  return (await connection.runAndReadAll(`SELECT ${sql}`)).getRowsJson()[0]?.[0]
}

const number = async (sql: string): Promise<number> => Number(await ask(sql))

const breaking = (table: string, rule: string): Promise<number> => number(`count(*) FROM ${table} WHERE NOT (${rule})`)

beforeAll(async () => {
  database = await openDatabase('2')
  for (const cube of sampled) await database.run(`CREATE TABLE ${cube.table} AS ${sampleSql(cube, start, end)}`)
})

describe.each(sampled)('the sample facts of $alias', (cube) => {
  const { table, dimensions, measures, funnels } = cube

  it('have the columns of a file to load', async () => {
    const described = (await database.runAndReadAll(`DESCRIBE ${table}`)).getRowObjectsJson()
    const types = { date: 'DATE', string: 'VARCHAR', count: 'BIGINT', money: 'DECIMAL(18,6)' }
    expect(described.map((row) => [row['column_name'], row['column_type']])).toEqual([
      ['account', 'VARCHAR'],
      ...[...dimensions, ...measures].map(({ column, type }) => [column, types[type]]),
      ['devices', 'VARCHAR[]'],
    ])
  })

  it('are the same for a day whichever range it is made with, on any number of threads', async () => {
    const digest = 'count(*)::VARCHAR || bit_xor(md5_number(f::VARCHAR))'
    const again = `(${sampleSql(cube, '2026-10-20', '2026-10-20')}) f`
    expect(await ask(`${digest} FROM ${again}`, await openDatabase('1'))).toBe(
      await ask(`${digest} FROM ${table} f WHERE day = '2026-10-20'`),
    )
  })

  it('never count more of a later step than of an earlier one', async () => {
    for (const funnel of funnels)
      for (const [index, column] of funnel.entries())
        if (index > 0) expect(await breaking(table, `${funnel[index - 1]} <= ${column}`), column).toBe(0)
    for (const { column } of measures) expect(await breaking(table, `${column} >= 0`), column).toBe(0)
  })

  it('keep ad units in their app, ad groups in their order, and devices in their app, country and model', async () => {
    const owners = async (owned: string, owner: string, from = table): Promise<number> =>
      number(`max(n) FROM (SELECT count(DISTINCT ${owner}) AS n FROM ${from} GROUP BY ${owned})`)
    expect(await owners('adunit_id', '(account, app_id, adunit_format)')).toBe(1)
    expect(await owners('adgroup_id', '(account, order_id)')).toBe(1)
    expect(await owners('app_id', 'adunit_id')).toBeGreaterThan(1)
    const model = cube === auctions ? 'device, os_version, ' : ''
    const seen = `(SELECT *, unnest(devices) AS id FROM ${table})`
    expect(await owners('id', `(account, app_id, country, ${model}os)`, seen)).toBe(1)
  })

  it('have at least two values in every dimension of the first release, and some rows without a country', async () => {
    for (const { column } of firstTables.find(({ name }) => name === cube.name)!.dimensions) {
      const values = await number(`count(DISTINCT ${column}) FROM ${table} WHERE ${column}::VARCHAR != ''`)
      expect(values, column).toBeGreaterThan(1)
    }
    expect(await number(`count(*) FROM ${table} WHERE country = ''`)).toBeGreaterThan(0)
  })

  it('are busier at weekends for games, on weekdays for news', async () => {
    const weekendRatio = (account: string): Promise<number> =>
      number(`2.5 * sum(${measures[0]!.column}) FILTER (isodow(day) > 5) / sum(${measures[0]!.column}) FILTER (isodow(day) <= 5)
        FROM ${table} WHERE account = '${account}'`)
    expect(await weekendRatio('aurora-games')).toBeGreaterThan(1.1)
    expect(await weekendRatio('tin-kite')).toBeGreaterThan(1.1)
    expect(await weekendRatio('fernway-media')).toBeLessThan(0.9)
  })

  it('see devices again on later days', async () => {
    const ids = `(SELECT day, unnest(devices) AS id FROM ${table} WHERE day > DATE '${end}' - 14)`
    const ratio = await number(`count(DISTINCT id) / count(DISTINCT (day, id)) FROM ${ids}`)
    expect(ratio).toBeGreaterThan(0.2)
    expect(ratio).toBeLessThan(0.6)
    expect(await breaking(table, 'len(devices) <= 4 AND len(list_distinct(devices)) = len(devices)')).toBe(0)
  })
})

it('auctions have a bidder and a creative exactly where they were won, and earn no more than was bid', async () => {
  for (const rule of [
    "(auctions_won > 0) = (bidder_name != '') AND (auctions_won > 0) = (creative_id != '')",
    "video_start = 0 OR video_inventory_enabled = 'true' AND creative_video_served = 'true'",
    'net_revenue <= winning_bid_amount AND winning_bid_amount <= bid_amount',
  ])
    expect(await breaking(auctions.table, rule), rule).toBe(0)
})

it('network-reported figures belong to ad groups of networks', async () => {
  const { table } = platformPerformance
  expect(await breaking(table, "(nr_network_type != '') = (adgroup_type = 'network')")).toBe(0)
  expect(await breaking(table, "nr_network_type != '' OR nr_impressions + nr_revenue = 0")).toBe(0)
})

it('thirteen months of both cubes are more than a million facts', async () => {
  const counts = sampled.map((cube) => `(SELECT count(*) FROM (${sampleSql(cube, '2025-10-09', '2026-11-08')}))`)
  const facts = await number(counts.join(' + '))
  expect(facts).toBeGreaterThan(1_000_000)
  expect(facts).toBeLessThan(1_200_000)
})
