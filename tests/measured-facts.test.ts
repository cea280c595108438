import { availableParallelism } from 'node:os'
import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { auctions } from '../src/catalog/auctions.ts'
import { synchronousLimits } from '../src/catalog/limits.ts'
import { measureFacts } from '../src/metrics/measure-facts.ts'
import { parseQuery } from '../src/query/parse.ts'
import { readExposition } from './setup/exposition.ts'
import { openTestFacts } from './setup/open-test-facts.ts'

const registry = new Registry()
const facts = measureFacts(registry, await openTestFacts())
const parsed = parseQuery(
  { start: '2026-11-14', end: '2026-11-14', dimensions: [], metrics: ['Auctions'] },
  { cube: auctions, limits: synchronousLimits, today: '2026-11-14' },
)
if ('faults' in parsed) throw new Error('The query is invalid.')
const { query } = parsed

const ask = (signal = new AbortController().signal) =>
  facts.readRows(query, { account: 'nobody', visible: [] }, { id: 'measured', signal })

async function read(): Promise<Record<string, number>> {
  const samples = readExposition(await registry.metrics())
  return Object.fromEntries(
    samples.map(({ name, labels, value }) => [[name, ...Object.values(labels)].join(' '), value]),
  )
}

it('queries are counted while they wait, while they run, and when they are refused', async () => {
  // As many queries of an account as may wait.
  const waitingMax = 64
  const tooMany = 10
  const asked = Array.from({ length: availableParallelism() + waitingMax + tooMany }, () => ask())
  const settled = Promise.allSettled(asked)
  expect((await read())['adcube_queries_queued']).toBeGreaterThan(0)
  const rejected = (await settled).filter(({ status }) => status === 'rejected')
  expect(rejected).toHaveLength(tooMany)
  expect(await read()).toMatchObject({
    adcube_queries_queued: 0,
    adcube_queries_running: 0,
    adcube_queries_rejected_total: tooMany,
    'adcube_query_duration_seconds_count ok': asked.length - tooMany,
    'adcube_query_duration_seconds_count busy': 0,
    adcube_query_wait_seconds_count: asked.length,
  })
})

it('a query that is cancelled while it waits counts neither as running nor as refused', async () => {
  const before = await read()
  await expect(ask(AbortSignal.abort())).rejects.toMatchObject({ trouble: 'cancelled' })
  const after = await read()
  expect(after).toEqual({
    ...before,
    adcube_query_wait_seconds_count: before['adcube_query_wait_seconds_count']! + 1,
    adcube_query_wait_seconds_sum: expect.any(Number),
    ...Object.fromEntries(
      Object.entries(before)
        .filter(([name]) => name.startsWith('adcube_query_wait_seconds_bucket'))
        .map(([name]) => [name, expect.any(Number)]),
    ),
  })
})
