import type { Cube } from '../src/catalog/cube.ts'

/** How many values there are of each kind of thing, whose id and name go together. */
const kinds =
  'creative 20000, adomain 2000, adunit 500, device 300, country 60, app 40, os_version 40, bidder 30, time 24, os 3'
const countOf = new Map(kinds.split(', ').map((kind) => kind.split(' ') as [string, string]))
/** Of others; the first of them is missing. */
const countElsewhere = '12'

/** Once in how many auctions each of the others happens, so that no row looks impossible. */
const divisors = 'auctions_won 2, cleared 3, clicks 100, video_start 4, video_midpoint 5, video_complete 6'
const divisorOf = new Map(divisors.split(', ').map((divisor) => divisor.split(' ') as [string, string]))

type Facts = {
  /** SQL for the account and the day of fact number `i`. */
  readonly account: string
  readonly day: string
  readonly from: number
  readonly rows: number
  /** How many different devices there are. */
  readonly devices: number
}

/** SQL that makes up facts with every column of the cube. The same numbers always give the same facts. */
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

/** `hash(i, seed)` would give columns that go together: the engine combines two hashes by one XOR. */
const seedOf = (text: string): number => Buffer.from(text).reduce((seed, byte) => (31 * seed + byte) % 1_000_003, 7)
