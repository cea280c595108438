import * as fc from 'fast-check'
import { expect } from 'vitest'
import type { Cube } from '../../src/catalog/cube.ts'
import { addDays } from '../../src/query/day.ts'
import { dimensionValues } from './facts.ts'
import type { NaiveQuery } from './naive.ts'

const today = '2026-11-14'
const values = [...dimensionValues, 'nowhere']
const patterns = ['%', 'u%', '_s', '%\\%', 'under\\_%', 'back\\\\%', '%\n%', '_', "%'%", 'U\\S', '%\\\\slash', '']

/** Exact for counts and devices, 1e-9 for quotients; twice the standard error where devices are counted by a sketch. */
export function expectSameRows(
  actual: Record<string, unknown>[],
  expected: Record<string, unknown>[],
  cube: Cube,
  distinctCountError: number,
): void {
  expect(actual.length).toBe(expected.length)
  actual.forEach((row, index) => {
    const wanted = expected[index]!
    expect(Object.keys(row)).toEqual(Object.keys(wanted))
    for (const [name, value] of Object.entries(row)) {
      const metric = cube.metrics.find((each) => each.name === name)
      const isRatio = metric?.formula.kind === 'ratio' || metric?.formula.kind === 'dailyUniques'
      const isSketched = metric !== undefined && /niques/.test(metric.formula.kind) && distinctCountError > 0
      const isExact = (!isRatio && !isSketched) || wanted[name] === null
      if (isExact) expect({ [name]: value }).toEqual({ [name]: wanted[name] })
      else {
        const tolerance = isSketched ? 2 * distinctCountError : 1e-9
        expect(Math.abs(Number(value) - Number(wanted[name]))).toBeLessThanOrEqual(
          tolerance * Math.abs(Number(wanted[name])),
        )
      }
    }
  })
}

/** Any query of the last two weeks. Fields of `often` come often, so that filters and groups meet on the same field. */
export function anyQuery(cube: Cube, often: readonly string[] = ['Country', 'OS']): fc.Arbitrary<NaiveQuery> {
  const dimensionNames = cube.dimensions.map(({ name }) => name)
  const metricNames = cube.metrics.map(({ name }) => name)
  const dimension = fc.oneof(fc.constantFrom('Day', ...often), fc.constantFrom(...dimensionNames))
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
