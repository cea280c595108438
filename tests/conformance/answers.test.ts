import * as fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { cubes } from '../../src/catalog/cubes.ts'
import { addDays } from '../../src/query/day.ts'
import type { Fact } from '../setup/fact-files.ts'
import { loadTestFacts, makeFacts } from '../setup/facts.ts'
import { answerNaively, type NaiveQuery } from '../setup/naive.ts'
import { anyQuery, expectSameRows } from '../setup/queries.ts'
import { openService } from '../setup/service.ts'

const service = await openService()
/** Seed of this run. Set ADCUBE_TEST_SEED to repeat a failure. */
const seed = Number(process.env.ADCUBE_TEST_SEED ?? Math.trunc(Math.random() * 2 ** 31))
const randomQueries = Number(process.env.ADCUBE_TEST_QUERIES ?? 100)
const today = '2026-11-14'
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

    /** Returns the data source of the answer. */
    async function check(query: NaiveQuery): Promise<readonly string[]> {
      const { status, body } = await service.ask(key, alias, query)
      expect(status, JSON.stringify(body)).toBe(200)
      expectSameRows(body.data, answerNaively(facts, query), cube, service.facts.distinctCountError)
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

    it('are read from rollups if these have the sums, and otherwise from facts', async () => {
      const base = { start: addDays(today, -9), end: today, filters: [], sort: [], limit: 1000 }
      const metrics = [cube.metrics.find(({ formula }) => formula.kind === 'sum')!.name]
      const devices = [cube.metrics.find(({ unit }) => unit === 'devices')!.name]
      // A day with few facts has no rollup.
      expect(await check({ ...base, dimensions: ['Country'], metrics })).toEqual(['facts', 'rollups'])
      expect(await check({ ...base, dimensions: ['Day'], metrics })).toEqual(['facts', 'rollups'])
      expect(await check({ ...base, dimensions: ['Country', 'OS'], metrics })).toEqual(['facts'])
      const rolledDay = { ...base, start: rolled, end: rolled }
      const ofCountry = [{ field: 'Country', operator: '=', value: 'US' }]
      expect(await check({ ...rolledDay, dimensions: [], metrics, filters: ofCountry })).toEqual(['rollups'])
      expect(await check({ ...rolledDay, dimensions: ['OS'], metrics, filters: ofCountry })).toEqual(['facts'])
      // The dimension has too many values for so few facts.
      expect(await check({ ...rolledDay, dimensions: ['App Name'], metrics })).toEqual(['facts'])
      const isExact = service.facts.distinctCountError === 0
      const both = isExact ? ['facts', 'rollups'] : ['facts']
      expect(await check({ ...rolledDay, dimensions: ['Country'], metrics: [...metrics, ...devices] })).toEqual(both)
      expect(
        await check({ ...base, start: addDays(today, -13), end: addDays(today, -12), dimensions: [], metrics }),
      ).toEqual([])
    })

    it('exist for every dimension and every metric', async () => {
      const base = { start: addDays(today, -9), end: today, filters: [], sort: [], limit: 1000 }
      const dimensions = cube.dimensions.map(({ name }) => name)
      const metrics = cube.metrics.map(({ name }) => name)
      for (let at = 0; at < Math.max(dimensions.length / 2, metrics.length / 5); at++) {
        const two = [dimensions[(2 * at) % dimensions.length]!, dimensions[(2 * at + 1) % dimensions.length]!]
        const five = [0, 1, 2, 3, 4].map((offset) => metrics[(5 * at + offset) % metrics.length]!)
        await check({ ...base, dimensions: two, metrics: [...new Set(five)] })
      }
    })
  },
)
