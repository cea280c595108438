import { describe, expect, it } from 'vitest'
import { cubes } from '../catalog/cubes.ts'
import { sketch, sketchPrecision } from '../catalog/sketch.ts'
import { schemaSteps } from './schema.ts'

const statements = schemaSteps.flatMap((step) => step.statements)

describe('the schema of the engine', () => {
  it('counts its steps from one, without a gap', () => {
    expect(schemaSteps.map(({ step }) => step)).toEqual(schemaSteps.map((_, index) => index + 1))
  })

  it('can be made twice, because a crash may fall between a statement and its record', () => {
    expect(statements.filter((statement) => !/ IF (NOT )?EXISTS /.test(statement))).toEqual([])
  })

  it.each(cubes.map((cube) => [cube.alias, cube] as const))(
    'has a column for all that the cube %s knows',
    (_, cube) => {
      const text = statements.find((statement) => statement.includes(`TABLE IF NOT EXISTS ${cube.table} (`)) ?? ''
      const columns = text
        .split('\n')
        .slice(1, -4)
        .map((line) => line.trim().replace(/,$/, ''))
      expect(columns).toEqual([
        'account LowCardinality(String)',
        'day Date',
        'load UInt64',
        ...cube.dimensions
          .filter(({ type }) => type === 'string')
          .map(({ column }) => `${column} LowCardinality(String) CODEC(ZSTD(1))`),
        ...cube.measures.map(({ column, type }) => `${column} ${type === 'money' ? 'Decimal(18, 6)' : 'UInt64'}`),
        `devices AggregateFunction(${sketch}(${sketchPrecision}), UInt64)`,
      ])
    },
  )
})
