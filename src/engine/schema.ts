import { cubes } from '../catalog/cubes.ts'
import type { Cube } from '../catalog/cube.ts'
import { sketch, sketchPrecision } from '../query/compile.ts'

export type SchemaStep = {
  readonly step: number
  readonly name: string
  readonly statements: readonly string[]
}

/** The type of the column that holds the devices of a fact. */
const sketchType = `AggregateFunction(${sketch}(${sketchPrecision}), UInt64)`

/**
 * The engine's schema, step by step. A step that has been released never changes: new columns and tables come as new
 * steps. Every statement can run twice, because a crash may fall between a statement and the record of its step.
 */
export const schemaSteps: readonly SchemaStep[] = [{ step: 1, name: 'facts', statements: cubes.map(createFacts) }]

/**
 * Every fact names the load that brought it; which loads a query may read is the store's to say. Days are partitions,
 * so that replaced and outdated days leave cheaply.
 */
function createFacts({ table, dimensions, measures }: Cube): string {
  const columns = [
    'account LowCardinality(String)',
    'day Date',
    'load UInt64',
    ...dimensions
      .filter(({ type }) => type !== 'date')
      .map(({ column }) => `${column} LowCardinality(String) CODEC(ZSTD(1))`),
    ...measures.map(({ column, type }) => `${column} ${type === 'money' ? 'Decimal(18, 6)' : 'UInt64'}`),
    `devices ${sketchType}`,
  ]
  return [
    `CREATE TABLE IF NOT EXISTS ${table} (`,
    columns.map((column) => `  ${column}`).join(',\n'),
    ') ENGINE = MergeTree',
    'PARTITION BY day',
    'ORDER BY (account, load, adunit_id, country)',
    // A load counts as stored once the engine says so, power cut or not.
    'SETTINGS fsync_after_insert = 1, fsync_part_directory = 1',
  ].join('\n')
}
