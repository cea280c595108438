import { Readable } from 'node:stream'
import { operator } from '../src/access/actor.ts'
import { createKey } from '../src/access/create-key.ts'
import { auctions } from '../src/catalog/auctions.ts'
import { demoPublishers } from '../src/demo/publishers.ts'
import { sampleDay, sampleHeader } from '../src/demo/sample-facts.ts'
import type { Engine } from '../src/engine/engine.ts'
import { loadFacts } from '../src/ingest/load-facts.ts'
import { sketch, sketchPrecision } from '../src/catalog/sketch.ts'
import { addDays, dayOf, type Day } from '../src/query/day.ts'
import { insertAccount } from '../src/store/accounts.ts'
import { beginLoad, publishLoad } from '../src/store/loads.ts'
import type { Store } from '../src/store/open-store.ts'
import { say, secondsSince } from './progress.ts'

export type BenchAccount = { readonly id: 'large' | 'ordinary'; readonly key: string; readonly rows: number }

export type Filled = {
  readonly days: readonly Day[]
  readonly large: BenchAccount
  readonly ordinary: BenchAccount
  readonly rowsAll: number
  readonly seconds: number
}

type Deps = { readonly engine: Engine; readonly store: Store; readonly signal: AbortSignal }

/** As many as a synchronous query reaches. */
const daysCount = 14
/** Of the large account's rows: half a million where that has ten million. */
const ordinaryShare = 1 / 20
/** A statement makes one block of them, which the engine holds in memory; and each is a line of progress. */
const rowsAStatement = 500_000
/** Three apps of the sample become so many times three: App Name by Day then gives some hundred rows. */
const appVariants = 8
/** A fact has five devices on average, so a device is seen in some fifty facts. */
const rowsADevice = 10

/**
 * Fills the cube of auctions. A few thousand sample facts come in through the normal door, for an account that nobody
 * asks about; the engine itself multiplies them, in loads of their own, for the two accounts that are measured.
 */
export async function fill(deps: Deps, rows: number): Promise<Filled> {
  const { engine, store, signal } = deps
  const startMs = performance.now()
  const today = dayOf(Date.now())
  const days = Array.from({ length: daysCount }, (_, index) => addDays(today, index + 1 - daysCount))
  const publisher = demoPublishers.at(-1)
  if (!publisher) throw new Error('there are no sample publishers')

  await insertAccount(store, { id: publisher.id, name: publisher.name, createdAt: Date.now() })
  const csv = [sampleHeader(auctions), ...days.map((day) => sampleDay(auctions, publisher, day))]
  const base = {
    account: publisher.id,
    ...(await loadFacts({ engine, store, now: Date.now }, auctions, Readable.from(csv))),
  }
  say(`${show(base.rows)} sample facts loaded`)

  const large = await multiply(deps, base, { id: 'large', days, rows })
  const ordinary = await multiply(deps, base, { id: 'ordinary', days, rows: Math.ceil(rows * ordinaryShare) })

  // One part a day, as it is some time after a load: merges would go on beside the queries, and differ between runs.
  say('merging')
  await engine.writer().command({ query: `OPTIMIZE TABLE ${auctions.table} FINAL`, abort_signal: signal })
  const counted = await countRows(engine)
  const seconds = secondsSince(startMs)
  const rowsAll = [...counted.values()].reduce((sum, each) => sum + each, 0)
  say(`${show(rowsAll)} facts stored in ${seconds.toFixed(1)} s`)
  return {
    days,
    large: { id: 'large', key: large, rows: counted.get('large') ?? 0 },
    ordinary: { id: 'ordinary', key: ordinary, rows: counted.get('ordinary') ?? 0 },
    rowsAll,
    seconds,
  }
}

/** Makes an account with at least so many facts, in whole copies of the base, and returns a key to it. */
async function multiply(
  { engine, store, signal }: Deps,
  base: { readonly account: string; readonly rows: number },
  { id, days, rows }: { readonly id: string; readonly days: readonly Day[]; readonly rows: number },
): Promise<string> {
  await insertAccount(store, { id, name: id, createdAt: Date.now() })
  const load = await beginLoad(store, { cube: auctions.name, now: Date.now() })
  const copies = Math.ceil(rows / base.rows)
  const copiesAStatement = Math.max(1, Math.floor(rowsAStatement / base.rows))
  for (let from = 0; from < copies; from += copiesAStatement) {
    const to = Math.min(copies, from + copiesAStatement)
    await engine.writer().command({
      query: multiplyStatement(),
      query_params: {
        account: id,
        load,
        base: base.account,
        from,
        to,
        countries: [...new Set(demoPublishers.flatMap(({ countries }) => countries))],
        devices: Math.ceil(rows / rowsADevice),
      },
      abort_signal: signal,
    })
    say(`${id} account: ${show(to * base.rows)} of ${show(copies * base.rows)} facts`)
  }
  const accountDays = days.map((day) => ({ account: id, day }))
  await publishLoad(store, {
    id: load,
    cube: auctions.name,
    days: accountDays,
    rows: copies * base.rows,
    now: Date.now(),
  })
  const created = await createKey(store, { accountId: id, name: 'bench', actor: operator, now: Date.now() })
  if ('refusal' in created) throw new Error(created.refusal)
  return created.key
}

/**
 * Copies differ in what the queries group by, in their measures (all of a row's by one factor, so that the ratios stay
 * plausible) and in their devices: equal copies would be compressed, counted and merged more easily than real facts.
 */
function multiplyStatement(): string {
  const variant = `toString(copy % ${appVariants})`
  const changed: Readonly<Record<string, string>> = {
    app_id: `concat(base.app_id, '-', ${variant})`,
    app_name: `concat(base.app_name, ' ', ${variant})`,
    adunit_id: `concat(base.adunit_id, '-', ${variant})`,
    adunit_name: `concat(base.adunit_name, ' ', ${variant})`,
    country: '{countries:Array(String)}[1 + mix % length({countries:Array(String)})]',
  }
  const dimensions = auctions.dimensions.map(({ column }) => column)
  const measures = auctions.measures.map(({ column }) => column)
  const device = 'cityHash64({account:String}, cityHash64(mix, index) % {devices:UInt64})'
  const hashes = `arrayMap(index -> ${device}, range(finalizeAggregation(base.devices)))`
  const values = [
    '{account:String}',
    '{load:UInt64}',
    ...dimensions.map((column) => changed[column] ?? `base.${column}`),
    ...measures.map((column) => `base.${column} * (1 + mix % 7)`),
    `arrayReduce('${sketch}State(${sketchPrecision})', ${hashes})`,
  ]
  return [
    `INSERT INTO ${auctions.table} (account, load, ${[...dimensions, ...measures].join(', ')}, devices)`,
    `SELECT ${values.join(',\n  ')}`,
    'FROM (',
    '  SELECT *,',
    '    arrayJoin(range({from:UInt64}, {to:UInt64})) AS copy,',
    '    cityHash64(copy, day, adunit_id, country, device, time, creative_id, auctions, bid_amount) AS mix',
    `  FROM ${auctions.table} WHERE account = {base:String}`,
    ') AS base',
  ].join('\n')
}

async function countRows(engine: Engine): Promise<ReadonlyMap<string, number>> {
  const result = await engine.writer().query({
    query: `SELECT account, count() AS rows FROM ${auctions.table} GROUP BY account`,
    format: 'JSONEachRow',
    clickhouse_settings: { output_format_json_quote_64bit_integers: 0 },
  })
  const rows = await result.json<{ account: string; rows: number }>()
  return new Map(rows.map(({ account, rows }) => [account, rows]))
}

const show = (count: number): string => count.toLocaleString('en-US')
