import { describe, expect, it } from 'vitest'
import { auctions } from '../src/catalog/auctions.ts'
import { platformPerformance } from '../src/catalog/platform-performance.ts'
import type { Facts, ReadOptions, Rows, Scope } from '../src/facts/facts.ts'
import { rememberAnswers, type AnswerSource } from '../src/facts/remember-answers.ts'
import type { Query } from '../src/query/query.ts'
import { findVisibleLoads } from '../src/store/loads.ts'
import { loadTestFacts } from './setup/facts.ts'
import { openService } from './setup/service.ts'

const service = await openService()
const { facts: engine, store } = service
const day = '2026-11-13'
const { id: account } = await service.createAccount('remembered')
const fact = (country: string, count: bigint) => ({
  day,
  dimensions: { Country: country },
  measures: { auctions: count },
  devices: [],
})
const scopeOf = async (): Promise<Scope> => ({
  account,
  visible: await findVisibleLoads(store, { cube: auctions.name, account, start: day, end: day }),
})
await loadTestFacts(service, auctions, account, [fact('US', 3n), fact('DE', 2n)])
const scope = await scopeOf()

const field = (name: string): any =>
  [...auctions.dimensions, ...auctions.metrics].find((each) => each.name === name) ?? expect.fail(name)
const query: Query = {
  cube: auctions,
  start: day,
  end: day,
  dimensions: [field('Country')],
  metrics: [field('Auctions')],
  filters: [{ dimension: field('OS'), operator: '=', values: [''] }],
  sorts: [{ field: field('Country'), direction: 'asc' }],
  limit: 10,
}
const rows = {
  json: Buffer.from('{"Country":"DE","Auctions":2},{"Country":"US","Auctions":3}'),
  count: 2,
  isTruncated: false,
  readFrom: ['facts'] as const,
}

/** Wraps the engine in a cache, and records the source of each answer. */
function open(bytesMax = 1e6, facts: Facts = engine) {
  const sources: AnswerSource[] = []
  const memory = rememberAnswers(facts, { bytesMax, onAnswer: (source) => sources.push(source) })
  const ask = (asked: Query = query, of: Scope = scope, options: Partial<ReadOptions> = {}) =>
    memory.readRows(asked, of, { id: 'remembered', signal: new AbortController().signal, ...options })
  return { sources, ask }
}

/** Wraps the engine so that it answers when released. */
function holdBack() {
  const held = Promise.withResolvers<void>()
  const signals: AbortSignal[] = []
  const facts: Facts = {
    ...engine,
    async readRows(asked, of, options) {
      signals.push(options.signal)
      options.onBegin?.()
      await held.promise
      return engine.readRows(asked, of, { ...options, onBegin: () => {} })
    },
  }
  return { facts, signals, release: held.resolve }
}

it('a repeated query is answered from the cache, and its caller is told that it begins', async () => {
  const { sources, ask } = open()
  expect(await ask()).toEqual(rows)
  let begun = 0
  expect(await ask(query, scope, { onBegin: () => begun++ })).toEqual(rows)
  expect(sources).toEqual(['engine', 'memory'])
  expect(begun).toBe(1)
})

it('a cache without room stores nothing', async () => {
  const { sources, ask } = open(0)
  await ask()
  expect(await ask()).toEqual(rows)
  expect(sources).toEqual([])
})

describe('the engine is asked again', () => {
  const [filter] = query.filters
  // All fields of a query by name, so that a new field does not compile until it is added here.
  const changes: { readonly [Part in keyof Query]: readonly Query[Part][] } = {
    cube: [platformPerformance],
    start: ['2026-11-12'],
    end: ['2026-11-14'],
    dimensions: [[], [field('OS')], [field('Country'), field('OS')], [field('OS'), field('Country')]],
    metrics: [[field('Clicks')], [field('Auctions'), field('Clicks')], [field('Clicks'), field('Auctions')]],
    filters: [
      [],
      [{ ...filter!, dimension: field('Bidder Name') }],
      [{ ...filter!, operator: 'like' }],
      [{ ...filter!, operator: 'in' }],
      [{ ...filter!, operator: 'not in' }],
      [{ ...filter!, values: ['x'] }],
      [{ ...filter!, operator: 'in', values: ['', 'x'] }],
      [{ ...filter!, operator: 'in', values: ['x', ''] }],
      [{ ...filter!, operator: 'in', values: [',x'] }],
      [filter!, filter!],
    ],
    sorts: [
      [],
      [{ field: field('Country'), direction: 'desc' }],
      [{ field: field('Auctions'), direction: 'asc' }],
      [{ field: field('Clicks'), direction: 'asc' }],
    ],
    limit: [11],
  }
  const scopes: { readonly [Part in keyof Scope]: readonly Scope[Part][] } = {
    account: ['somebody-else'],
    visible: [
      [],
      [{ day, load: 1e6 }],
      [{ day: '2026-11-12', load: scope.visible[0]!.load }],
      [...scope.visible, { day, load: 1e6 }],
    ],
  }
  const variants = [
    { query, scope },
    ...Object.entries(changes).flatMap(([part, values]) =>
      values.map((value) => ({ query: { ...query, [part]: value }, scope })),
    ),
    ...Object.entries(scopes).flatMap(([part, values]) =>
      values.map((value) => ({ query, scope: { ...scope, [part]: value } })),
    ),
  ]

  it('if any part of the query, the account or the loads differs', async () => {
    // Queries differ by what the engine gets; missing files would give no answer.
    const asked: unknown[] = []
    const facts: Facts = { ...engine, readRows: async (...args) => ({ ...rows, count: asked.push(args) }) }
    const { ask, sources } = open(1e6, facts)
    const answers: Rows[] = []
    for (const each of variants) answers.push(await ask(each.query, each.scope))
    expect(asked).toHaveLength(variants.length)
    expect(new Set(answers.map(({ count }) => count)).size).toBe(variants.length)
    for (const [index, each] of variants.entries()) {
      expect(await ask(each.query, each.scope)).toEqual(answers[index])
    }
    expect(sources.filter((source) => source === 'memory')).toHaveLength(variants.length)
  })

  it('after a load has replaced the day', async () => {
    const { sources, ask } = open()
    await ask(query, await scopeOf())
    await loadTestFacts(service, auctions, account, [fact('US', 7n)])
    expect(await ask(query, await scopeOf())).toMatchObject({ json: Buffer.from('{"Country":"US","Auctions":7}') })
    expect(sources).toEqual(['engine', 'engine'])
    await loadTestFacts(service, auctions, account, [fact('US', 3n), fact('DE', 2n)])
  })

  it('after a failure', async () => {
    let isUp = false
    const facts: Facts = {
      ...engine,
      readRows: async (...args) => (isUp ? engine.readRows(...args) : expect.fail('down')),
    }
    const { sources, ask } = open(1e6, facts)
    await expect(ask()).rejects.toThrow('down')
    isUp = true
    expect(await ask()).toEqual(rows)
    expect(sources).toEqual(['engine', 'engine'])
  })
})

describe('callers with the same query at once', () => {
  it('share one answer of the engine', async () => {
    const { facts, signals, release } = holdBack()
    const { sources, ask } = open(1e6, facts)
    let begun = 0
    const asked = Array.from({ length: 5 }, () => ask(query, scope, { onBegin: () => begun++ }))
    release()
    expect(await Promise.all(asked)).toEqual(Array.from({ length: 5 }, () => rows))
    expect(sources).toEqual(['engine', 'shared', 'shared', 'shared', 'shared'])
    expect(signals).toHaveLength(1)
    expect(begun).toBe(5)
  })

  it('still get it if the first of them is cancelled', async () => {
    const { facts, signals, release } = holdBack()
    const { ask } = open(1e6, facts)
    const first = new AbortController()
    const [gone, stays] = [ask(query, scope, { signal: first.signal }), ask()]
    first.abort()
    await expect(gone).rejects.toMatchObject({ trouble: 'cancelled' })
    expect(signals[0]?.aborted).toBe(false)
    release()
    expect(await stays).toEqual(rows)
  })

  it('stop the engine if all of them are cancelled, and later callers start again', async () => {
    const { facts, signals, release } = holdBack()
    const { ask, sources } = open(1e6, facts)
    const leaving = new AbortController()
    const gone = [ask, ask].map((each) => each(query, scope, { signal: leaving.signal }))
    leaving.abort()
    const outcomes = await Promise.allSettled(gone)
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(signals[0]?.aborted).toBe(true)
    const late = ask()
    release()
    expect(await late).toEqual(rows)
    expect(sources).toEqual(['engine', 'shared', 'engine'])
  })
})

it('the least recently used answers are removed, and very large ones are not stored', async () => {
  const facts: Facts = { ...engine, readRows: async ({ limit }) => ({ ...rows, json: Buffer.alloc(limit * 2_000) }) }
  const { ask, sources } = open(100_000, facts)
  const askFor = (limit: number, start: string) => ask({ ...query, limit, start })
  const days = Array.from({ length: 60 }, (_, index) => `day ${index}`)
  for (const each of days) await askFor(1, each)
  sources.length = 0
  await askFor(1, days.at(-1)!)
  await askFor(1, days[0]!)
  await askFor(10, 'large')
  await askFor(10, 'large')
  expect(sources).toEqual(['memory', 'engine', 'engine', 'engine'])
})
