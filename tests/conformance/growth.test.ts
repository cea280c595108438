import { parse } from 'csv-parse/sync'
import * as fc from 'fast-check'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import type { Cube } from '../../src/catalog/cube.ts'
import { platformPerformance } from '../../src/catalog/platform-performance.ts'
import { verify } from '../../src/backup/verify.ts'
import { addDays } from '../../src/query/day.ts'
import { findVisibleLoads } from '../../src/store/loads.ts'
import { toCsv, type Fact } from '../setup/fact-files.ts'
import { loadTestFile, makeFacts } from '../setup/facts.ts'
import { answerNaively, type NaiveQuery } from '../setup/naive.ts'
import { anyQuery, expectSameRows } from '../setup/queries.ts'
import { openService } from '../setup/service.ts'

const service = await openService()
const seed = Number(process.env.ADCUBE_TEST_SEED ?? Math.trunc(Math.random() * 2 ** 31))
const today = '2026-11-14'

const grown = platformPerformance
const newColumns = new Set(['os', 'sdk_version', 'clicks', 'nr_revenue'])
const isOld = ({ column }: { readonly column: string }): boolean => !newColumns.has(column)
/** The cube as it was before it had an operating system, an SDK, clicks and the revenue that networks report. */
const smaller: Cube = {
  ...grown,
  dimensions: grown.dimensions.filter(isOld),
  measures: grown.measures.filter(isOld),
  funnels: [],
  metrics: [],
}

/** Facts as they are known after they were loaded by the smaller cube. */
const shrink = (fact: Fact): Fact => ({
  ...fact,
  dimensions: { ...fact.dimensions, OS: '', 'SDK Version': '' },
  measures: { ...fact.measures, clicks: 0n, nr_revenue: 0n },
})

describe('facts that were loaded before a cube got new fields', () => {
  const made = makeFacts(grown, { count: 2_400, days: 5, seed: 20_261_114 })
  const ofDay = (back: number): Fact[] => made.filter(({ day }) => day === addDays(today, -back))
  const half = (facts: readonly Fact[], which: 0 | 1): Fact[] => facts.filter((_, index) => index % 2 === which)
  const few = ofDay(4).slice(0, 18)
  const facts = [
    ...ofDay(0),
    ...ofDay(1).map(shrink),
    ...half(ofDay(2), 0).map(shrink),
    ...half(ofDay(2), 1),
    ...ofDay(3),
    ...few.map((fact, index) => (index < 9 ? shrink(fact) : fact)),
  ]
  let account = { id: '', key: '' }

  beforeAll(async () => {
    process.stderr.write(`random queries of a grown cube: ADCUBE_TEST_SEED=${seed}\n`)
    account = await service.createAccount('growth')
    const load = (cube: Cube, some: readonly Fact[], mode: 'append' | 'replace' = 'replace') =>
      loadTestFile(service, cube, 'facts.csv', toCsv(cube, account.id, some), { mode })
    await load(smaller, [...ofDay(1), ...half(ofDay(2), 0), ...ofDay(3)])
    await load(grown, half(ofDay(2), 1), 'append')
    // A day that is loaded again has all columns.
    await load(grown, [...ofDay(0), ...ofDay(3)])
    // So many loads that an engine may merge them: eight of the smaller cube, a ninth, and nine of the grown one.
    for (const [index, fact] of few.entries()) await load(index < 9 ? smaller : grown, [fact], 'append')
  })

  /** Returns the data source of the answer. */
  async function check(query: NaiveQuery): Promise<readonly string[]> {
    const { status, body } = await service.ask(account.key, grown.alias, query)
    expect(status, JSON.stringify(body)).toBe(200)
    expectSameRows(body.data, answerNaively(facts, query), grown, service.facts.distinctCountError)
    return body.meta.read_from
  }

  it('give right answers to random queries of the new cube', { timeout: 3_600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(anyQuery(grown, ['Country', 'OS', 'SDK Version']), async (query) => void (await check(query))),
      { numRuns: 100, seed },
    )
  })

  it('have sums in rollups, but not by a newer dimension', async () => {
    const base = { start: addDays(today, -2), end: addDays(today, -1), filters: [], sort: [], limit: 1_000 }
    const metrics = ['Ad Requests', 'Adserver Clicks', 'NR Revenue', 'Adserver CTR']
    expect(await check({ ...base, dimensions: ['Country'], metrics })).toContain('rollups')
    expect(await check({ ...base, dimensions: [], metrics })).toContain('rollups')
    expect(await check({ ...base, start: base.end, dimensions: ['OS'], metrics })).toEqual(['facts'])
    const isMissing = [{ field: 'OS', operator: '=', value: '' }]
    expect(await check({ ...base, start: base.end, dimensions: [], metrics, filters: isMissing })).toEqual(['facts'])
    expect(await check({ ...base, start: today, end: today, dimensions: ['OS'], metrics })).toEqual(['rollups'])
  })

  it('are included in reports', async () => {
    service.workers.start()
    const range = { start: addDays(today, -4), end: today }
    const query = { ...range, dimensions: ['Day', 'OS', 'SDK Version'], metrics: ['Fills', 'Adserver Clicks'] }
    const accepted = await service.app.inject({
      method: 'POST',
      url: `/v2/data/asynchronous?cube=${grown.alias}`,
      headers: { 'x-api-key': account.key },
      payload: query,
    })
    const url = await vi.waitFor(
      async () => {
        const [job] = (await service.get(account.key, `/v2/data/status?jobId=${accepted.json().job_id}`)).body
        expect(job.job_status).toBe('SUCCESS')
        return String(job.output_url).replace('http://localhost:80', '')
      },
      { timeout: 120_000, interval: 100 },
    )
    const expected = answerNaively(facts, { ...query, filters: [], sort: [], limit: 1_000 })
    const rows = parse((await service.app.inject({ url })).body, { bom: true }).slice(1)
    expect(rows).toEqual(expected.map((row) => Object.values(row).map((value) => String(value ?? ''))))
  })

  it('pass the checks of `adcube verify`', async () => {
    const { first } = await verify(
      { ...service, control: { store: service.store, renew: async () => {} } },
      { signal: new AbortController().signal, onProgress: () => {} },
    )
    expect(first.filter(({ place }) => place.includes(account.id))).toEqual([])
    const loads = await findVisibleLoads(service.store, { cube: grown.name, account: account.id, start: '2026-11-01' })
    expect(loads).toHaveLength(23)
  })
})
