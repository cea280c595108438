import { auctions } from '../src/catalog/auctions.ts'
import { beginLoad } from '../src/store/loads.ts'
import { openAccount, recentDays, type BenchAccount } from './fill.ts'
import { say } from './progress.ts'
import type { Bench } from './run-bench.ts'
import { showCount } from './text.ts'

/** A statement makes blocks of them, and each is a line of progress. */
const rowsAStatement = 1_000_000

/** Facts no two of which fall into the same group of the query below: their number has a digit for each of these. */
const digits = [
  ['day', (digit: string, days: number) => `addDays({start:Date}, ${digit} % ${days})`, 0],
  ['time', (digit: string) => `concat(leftPad(toString(${digit} % 24), 2, '0'), ':00')`, 24],
  ['country', (digit: string) => `concat('C', toString(${digit} % 40))`, 40],
  ['adunit_id', (digit: string) => `concat('adunit-', toString(${digit} % 200))`, 200],
  ['creative_id', (digit: string) => `concat('creative-', toString(${digit}))`, 1],
] as const

const columns: Readonly<Record<string, string>> = {
  app_name: "concat('Application ', toString(mix % 50))",
  device: "concat('Device ', toString(mix % 97))",
  os: "if(mix % 3 = 0, 'iOS', 'Android')",
  os_version: "concat('1', toString(mix % 7), '.', toString(mix % 5))",
  bidder_name: "concat('Bidder ', toString(mix % 31))",
  auctions: '1 + mix % 1000',
  auctions_won: 'intDiv(mix % 1000, 2)',
  bids: 'mix % 3000',
  bid_amount: 'toDecimal64(mix % 90000000, 0) / 1000000',
  cleared: 'intDiv(mix % 1000, 3)',
  clicks: 'intDiv(mix % 1000, 97)',
  net_revenue: 'toDecimal64(mix % 5000000, 6) / 1000000',
}

/** The query that gives each of these facts back as a row: 10 dimensions, 10 metrics, sorted by one of them. */
export const wideQuery = {
  dimensions: [
    'Day',
    'Time',
    'Country',
    'Adunit ID',
    'Creative ID',
    'App Name',
    'Device',
    'OS',
    'OS Version',
    'Bidder Name',
  ],
  metrics: [
    'Auctions',
    'Auctions Won',
    'Cleared',
    'Clicks',
    'Net Revenue',
    'Bid Avg',
    'Bid Depth',
    'Clear Rate',
    'CTR',
    'eCPM',
  ],
  sort: [{ field: 'Net Revenue', order: 'desc' }],
}

/** Makes an account of so many facts, which the engine makes up itself. */
export async function fillWide({ engine, store, signal }: Bench, id: string, rows: number): Promise<BenchAccount> {
  const days = recentDays()
  const load = await beginLoad(store, { cube: auctions.name, now: Date.now() })
  const unique: string[] = []
  let rest = 'number'
  for (const [column, expression, radix] of digits) {
    unique.push(`${expression(rest, days.length)} AS ${column}`)
    rest = `intDiv(${rest}, ${radix || days.length})`
  }
  const names = [...digits.map(([column]) => column), ...Object.keys(columns)]
  const values = [...unique, ...Object.entries(columns).map(([column, expression]) => `${expression} AS ${column}`)]
  for (let from = 0; from < rows; from += rowsAStatement) {
    const to = Math.min(rows, from + rowsAStatement)
    await engine.writer().command({
      query: [
        `INSERT INTO ${auctions.table} (account, load, ${names.join(', ')})`,
        `SELECT {account:String}, {load:UInt64}, ${values.join(', ')}`,
        'FROM (SELECT number, cityHash64(number) AS mix FROM numbers({from:UInt64}, {count:UInt64}))',
      ].join('\n'),
      query_params: { account: id, load, start: days[0], from, count: to - from },
      abort_signal: signal,
    })
    say(`${id} account: ${showCount(to)} of ${showCount(rows)} facts`)
  }
  return openAccount(store, { id, load, days, rows })
}
