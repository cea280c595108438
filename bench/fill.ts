import { Readable } from 'node:stream'
import { operator } from '../src/store/audit.ts'
import { createKey } from '../src/access/create-key.ts'
import { auctions } from '../src/catalog/auctions.ts'
import { demoPublishers } from '../src/demo/publishers.ts'
import { sampleDay, sampleHeader } from '../src/demo/sample-facts.ts'
import type { Engine } from '../src/engine/engine.ts'
import { loadFacts } from '../src/ingest/load-facts.ts'
import { sketch, sketchPrecision } from '../src/catalog/sketch.ts'
import { addDays, dayOf, type Day } from '../src/query/day.ts'
import { insertAccount } from '../src/store/accounts.ts'
import { beginLoad } from '../src/store/loads.ts'
import { publishLoad } from '../src/store/publish-load.ts'
import type { Store } from '../src/store/open-store.ts'
import { say, secondsSince } from './progress.ts'
import { showCount } from './text.ts'

export type BenchAccount = { readonly id: string; readonly key: string; readonly rows: number }

export type Filled<Id extends string = string> = {
  readonly days: readonly Day[]
  readonly accounts: Readonly<Record<Id, BenchAccount>>
  readonly rowsAll: number
  readonly seconds: number
}

type Deps = { readonly engine: Engine; readonly store: Store; readonly signal: AbortSignal }

/** As many as a synchronous query reaches. */
const daysCount = 14
/** A statement makes one block of them, which the engine holds in memory; and each is a line of progress. */
const rowsAStatement = 500_000
/** Three apps of the sample become so many times three: App Name by Day then gives some hundred rows. */
const appVariants = 8
/** A fact has five devices on average, so a device is seen in some fifty facts. */
const rowsADevice = 10

/**
 * Fills the cube of auctions. A few thousand sample facts come in through the normal door, for an account that nobody
 * asks about; the engine itself multiplies them, in loads of their own, for the accounts that are measured.
 */
export async function fill<Id extends string>(deps: Deps, wanted: Readonly<Record<Id, number>>): Promise<Filled<Id>> {
  const { engine, store, signal } = deps
  const startMs = performance.now()
  const days = recentDays()
  const publisher = demoPublishers.at(-1)
  if (!publisher) throw new Error('there are no sample publishers')

  await insertAccount(store, { id: publisher.id, name: publisher.name, createdAt: Date.now() })
  const csv = [sampleHeader(auctions), ...days.map((day) => sampleDay(auctions, publisher, day))]
  const base = {
    account: publisher.id,
    ...(await loadFacts({ engine, store, now: Date.now }, auctions, { name: 'sample', stream: Readable.from(csv) })),
  }
  say(`${showCount(base.rows)} sample facts loaded`)

  const accounts: Record<string, BenchAccount> = {}
  for (const [id, rows] of Object.entries<number>(wanted)) {
    accounts[id] = await multiply(deps, base, { id, days, rows })
  }
  // One part a day, as it is some time after a load: merges would go on beside the queries, and differ between runs.
  say('merging')
  await engine.writer().command({ query: `OPTIMIZE TABLE ${auctions.table} FINAL`, abort_signal: signal })
  const rowsAll = Object.values(accounts).reduce((sum, { rows }) => sum + rows, base.rows)
  const seconds = secondsSince(startMs)
  say(`${showCount(rowsAll)} facts stored in ${seconds.toFixed(1)} s`)
  return { days, accounts: accounts as Record<Id, BenchAccount>, rowsAll, seconds }
}

/** As many as a synchronous query reaches. */
export const recentDays = (): readonly Day[] => {
  const today = dayOf(Date.now())
  return Array.from({ length: daysCount }, (_, index) => addDays(today, index + 1 - daysCount))
}

/** Makes an account with at least so many facts, in whole copies of the base. */
async function multiply(
  { engine, store, signal }: Deps,
  base: { readonly account: string; readonly rows: number },
  { id, days, rows }: { readonly id: string; readonly days: readonly Day[]; readonly rows: number },
): Promise<BenchAccount> {
  const copies = Math.ceil(rows / base.rows)
  const copiesAStatement = Math.max(1, Math.floor(rowsAStatement / base.rows))
  const load = await beginLoad(store, { cube: auctions.name, now: Date.now() })
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
    say(`${id} account: ${showCount(to * base.rows)} of ${showCount(copies * base.rows)} facts`)
  }
  return openAccount(store, { id, load, days, rows: copies * base.rows })
}

/** Makes the account of a load that is stored, and shows it the load. */
export async function openAccount(
  store: Store,
  {
    id,
    load,
    days,
    rows,
  }: { readonly id: string; readonly load: number; readonly days: readonly Day[]; readonly rows: number },
): Promise<BenchAccount> {
  const now = Date.now()
  await insertAccount(store, { id, name: id, createdAt: now })
  const accountDays = days.map((day) => ({ account: id, day }))
  await publishLoad(store, { id: load, cube: auctions.name, days: accountDays, rows, now })
  const created = await createKey(store, { accountId: id, name: 'bench', actor: operator, now })
  if ('refusal' in created) throw new Error(created.refusal)
  return { id, key: created.key, rows }
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
