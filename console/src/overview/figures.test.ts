import { describe, expect, test } from 'vitest'
import { cubes } from '../../../src/catalog/cubes.ts'
import { synchronousLimits } from '../../../src/catalog/limits.ts'
import { figuresOf, metricsOf } from './figures.ts'

describe.each(cubes)('the overview of $alias', (cube) => {
  test('shows metrics and dimensions that the cube has', () => {
    expect(metricsOf(cube)).not.toContain(undefined)
    const names = cube.dimensions.map(({ name }) => name)
    for (const { dimension } of figuresOf(cube).tops) expect(names).toContain(dimension)
  })

  test('fits into one query', () => {
    expect(metricsOf(cube).length).toBeLessThanOrEqual(synchronousLimits.metricsMax)
  })
})
