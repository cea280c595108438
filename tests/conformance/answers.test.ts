import * as fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Cube } from '../../src/catalog/cube.ts'
import { cubes } from '../../src/catalog/cubes.ts'
import { addDays } from '../../src/query/day.ts'
import type { Fact } from '../setup/fact-files.ts'
import { dimensionValues, loadTestFacts, makeFacts } from '../setup/facts.ts'
import { answerNaively, type NaiveQuery } from '../setup/naive.ts'
import { openService } from '../setup/service.ts'

const service = await openService()
/** Another each time; a failure is repeated with ADCUBE_TEST_SEED. */
const seed = Number(process.env.ADCUBE_TEST_SEED ?? Math.trunc(Math.random() * 2 ** 31))
const randomQueries = Number(process.env.ADCUBE_TEST_QUERIES ?? 100)
const today = '2026-11-14'
const values = [...dimensionValues, 'nowhere']
const patterns = ['%', 'u%', '_s', '%\\%', 'under\\_%', 'back\\\\%', '%\n%', '_', "%'%", 'U\\S', '%\\\\slash', '']

/** Exact for counts and devices, 1e-9 for quotients; twice the standard error where devices are counted by a sketch. */
function expectSameRows(actual: Record<string, unknown>[], expected: Record<string, unknown>[], cube: Cube): void {
  expect(actual.length).toBe(expected.length)
  actual.forEach((row, index) => {
    const wanted = expected[index]!
    expect(Object.keys(row)).toEqual(Object.keys(wanted))
    for (const [name, value] of Object.entries(row)) {
      const metric = cube.metrics.find((each) => each.name === name)
      const isRatio = metric?.formula.kind === 'ratio' || metric?.formula.kind === 'dailyUniques'
      const isSketched =
        metric !== undefined && /niques/.test(metric.formula.kind) && service.facts.distinctCountError > 0
      const isExact = (!isRatio && !isSketched) || wanted[name] === null
      if (isExact) expect({ [name]: value }).toEqual({ [name]: wanted[name] })
      else {
        const tolerance = isSketched ? 2 * service.facts.distinctCountError : 1e-9
        expect(Math.abs(Number(value) - Number(wanted[name]))).toBeLessThanOrEqual(
          tolerance * Math.abs(Number(wanted[name])),
        )
      }
    }
  })
}

function anyQuery(cube: Cube): fc.Arbitrary<NaiveQuery> {
  const dimensionNames = cube.dimensions.map(({ name }) => name)
  const metricNames = cube.metrics.map(({ name }) => name)
  // A few dimensions come often, so that filters and groups meet on the same field.
  const dimension = fc.oneof(fc.constantFrom('Day', 'Country', 'OS'), fc.constantFrom(...dimensionNames))
  const filter = fc.oneof(
    fc.record({ field: dimension, operator: fc.constant('='), value: fc.constantFrom(...values, today) }),
    fc.record({
      field: dimension,
      operator: fc.constantFrom('like', 'LIKE'),
      value: fc.constantFrom(...patterns, '2026-11-1%'),
    }),
    fc.record({
      field: dimension,
      operator: fc.constantFrom('in', 'not in', 'NOT IN'),
      values: fc.array(fc.constantFrom(...values, today, addDays(today, -1)), { minLength: 1, maxLength: 12 }),
    }),
  )
  return fc
    .record({
      back: fc.integer({ min: 0, max: 13 }),
      length: fc.integer({ min: 1, max: 14 }),
      dimensions: fc.uniqueArray(dimension, { maxLength: 2 }),
      metrics: fc.uniqueArray(fc.constantFrom(...metricNames), { minLength: 1, maxLength: 5 }),
      filters: fc.array(filter, { maxLength: 3 }),
      sortMetrics: fc.uniqueArray(fc.constantFrom(...metricNames), { maxLength: 2 }),
      order: fc.constantFrom('asc', 'Desc', 'DESC'),
      sortsByDimension: fc.boolean(),
      limit: fc.oneof(fc.constant(1000), fc.integer({ min: 1, max: 5 })),
    })
    .map(({ back, length, sortMetrics, order, sortsByDimension, ...rest }) => {
      const start = addDays(today, -back)
      const end = addDays(start, Math.min(length - 1, back))
      const fields = [...(sortsByDimension ? rest.dimensions.slice(0, 1) : []), ...sortMetrics]
      return { ...rest, start, end, sort: fields.map((field) => ({ field, order })) }
    })
}

describe.concurrent.each(cubes.map((cube) => [cube.alias, cube] as const))(
  'answers from the cube %s',
  (alias, cube) => {
    const facts: Fact[] = makeFacts(cube, { count: 2_400, days: 10, seed: 20_261_114 })
    const ofDay = Map.groupBy(facts, ({ day }) => day)
    const rolled = [...ofDay].find(([, { length }]) => length >= service.rollupFacts)![0]
    let key = ''

    beforeAll(async () => {
      process.stderr.write(`random queries of ${alias}: ADCUBE_TEST_SEED=${seed}\n`)
      const account = await service.createAccount(`answers-${alias}`)
      key = account.key
      await loadTestFacts(service, cube, account.id, facts)
    })

    /** Returns what the answer was read from. */
    async function check(query: NaiveQuery): Promise<readonly string[]> {
      const { status, body } = await service.ask(key, alias, query)
      expect(status, JSON.stringify(body)).toBe(200)
      expectSameRows(body.data, answerNaively(facts, query), cube)
      const isTruncated = answerNaively(facts, { ...query, limit: Infinity }).length > query.limit
      expect(body.meta).toMatchObject({
        cube: cube.name,
        rows: body.data.length,
        truncated: isTruncated,
        data_through: today,
      })
      return body.meta.read_from
    }

    it('equal an independent computation, for random queries', { timeout: 3_600_000 }, async () => {
      await fc.assert(
        fc.asyncProperty(anyQuery(cube), async (query) => void (await check(query))),
        { numRuns: randomQueries, seed },
      )
    })

    it('are read from rollups where these have the sums, and from facts where not', async () => {
      const base = { start: addDays(today, -9), end: today, filters: [], sort: [], limit: 1000 }
      const metrics = [cube.metrics.find(({ formula }) => formula.kind === 'sum')!.name]
      const devices = [cube.metrics.find(({ unit }) => unit === 'devices')!.name]
      // A day with fewer facts than most has no rollup.
      expect(await check({ ...base, dimensions: ['Country'], metrics })).toEqual(['facts', 'rollups'])
      expect(await check({ ...base, dimensions: ['Day'], metrics })).toEqual(['facts', 'rollups'])
      expect(await check({ ...base, dimensions: ['Country', 'OS'], metrics })).toEqual(['facts'])
      const rolledDay = { ...base, start: rolled, end: rolled }
      const ofCountry = [{ field: 'Country', operator: '=', value: 'US' }]
      expect(await check({ ...rolledDay, dimensions: [], metrics, filters: ofCountry })).toEqual(['rollups'])
      expect(await check({ ...rolledDay, dimensions: ['OS'], metrics, filters: ofCountry })).toEqual(['facts'])
      // It has too many values beside so few facts.
      expect(await check({ ...rolledDay, dimensions: ['App Name'], metrics })).toEqual(['facts'])
      const isExact = service.facts.distinctCountError === 0
      const both = isExact ? ['facts', 'rollups'] : ['facts']
      expect(await check({ ...rolledDay, dimensions: ['Country'], metrics: [...metrics, ...devices] })).toEqual(both)
      expect(
        await check({ ...base, start: addDays(today, -13), end: addDays(today, -12), dimensions: [], metrics }),
      ).toEqual([])
    })

    it('can be had by every dimension and for every metric', async () => {
      const base = { start: addDays(today, -9), end: today, filters: [], sort: [], limit: 1000 }
      const dimensions = cube.dimensions.map(({ name }) => name)
      const metrics = cube.metrics.map(({ name }) => name)
      for (let at = 0; at < Math.max(dimensions.length / 2, metrics.length / 5); at++) {
        const two = [dimensions[(2 * at) % dimensions.length]!, dimensions[(2 * at + 1) % dimensions.length]!]
        const five = [0, 1, 2, 3, 4].map((offset) => metrics[(5 * at + offset) % metrics.length]!)
        await check({ ...base, dimensions: two, metrics: five })
      }
    })
  },
)
