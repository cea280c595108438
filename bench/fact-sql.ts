import type { Cube } from '../src/catalog/cube.ts'

/** Number of values of each dimension that has an id and a name. */
const kinds =
  'creative 20000, adomain 2000, adunit 500, device 300, country 60, app 40, os_version 40, bidder 30, time 24, os 3'
const countOf = new Map(kinds.split(', ').map((kind) => kind.split(' ') as [string, string]))
/** Values of other dimensions. The first value is missing. */
const countElsewhere = '12'

/** Auctions per event, so that no row is implausible. */
const divisors = 'auctions_won 2, cleared 3, clicks 100, video_start 4, video_midpoint 5, video_complete 6'
const divisorOf = new Map(divisors.split(', ').map((divisor) => divisor.split(' ') as [string, string]))

type Facts = {
  /** SQL for the account and the day of fact `i`. */
  readonly account: string
  readonly day: string
  readonly from: number
  readonly rows: number
  /** Number of distinct devices. */
  readonly devices: number
}

/** Returns SQL that generates facts with every column of the cube. The same numbers always give the same facts. */
export function selectFacts({ dimensions, measures }: Cube, { account, day, from, rows, devices }: Facts): string {
  const texts = dimensions.filter(({ type }) => type === 'string').map(({ column }) => column)
  const columns = [
    `${account} AS account, ${day} AS day`,
    ...texts.map((column) => `${textOf(column)} AS ${column}`),
    ...measures.map(({ column, type }) =>
      type === 'money'
        ? `((mix % 90000000) / 1000000)::DECIMAL(18, 6) AS ${column}`
        : `((1 + mix % 1000) // ${divisorOf.get(column) ?? 1})::BIGINT AS ${column}`,
    ),
    `list_transform(range((mix % 4)::BIGINT), lambda each: 'device ' || hash(4 * i + each) % ${devices}) AS devices`,
  ]
  return `SELECT ${columns.join(', ')} FROM (SELECT range AS i, hash(range) AS mix FROM range(${from}, ${from + rows}))`
}

/** The first values are the most frequent ones, as in real facts. */
function textOf(column: string): string {
  const kind = column.replace(/_(id|name)$/, '')
  const share = `(hash(i * 1000003 + ${seedOf(kind)}) % 1048576) / 1048576`
  const text = `'${column} ' || floor(${countOf.get(kind) ?? countElsewhere} * pow(${share}, 3))::INTEGER`
  return countOf.has(kind) ? text : `nullif(${text}, '${column} 0')`
}

/** Not `hash(i, seed)`: DuckDB combines the two by XOR, which would correlate the columns. */
const seedOf = (text: string): number => Buffer.from(text).reduce((seed, byte) => (31 * seed + byte) % 1_000_003, 7)
