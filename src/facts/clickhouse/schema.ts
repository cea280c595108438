import type { Cube, Measure } from '../../catalog/cube.ts'
import { cubes } from '../../catalog/cubes.ts'
import { sketch } from './sketch.ts'

export type SchemaStep = {
  readonly step: number
  readonly name: string
  readonly statements: readonly string[]
}

/**
 * The schema of the database, step by step. What comes to the catalog after a release comes as a new step besides, for
 * the databases that are there. Every statement can run twice, because a crash may fall between it and the record of
 * its step.
 */
export const schemaSteps: readonly SchemaStep[] = [
  { step: 1, name: 'facts with sketches of MD5', statements: cubes.map(createFacts) },
  { step: 2, name: 'rollups', statements: cubes.map(createRollups) },
]

/**
 * Every fact names the load that brought it; which loads a query may read is the store's to say. Days are partitions,
 * so that replaced and outdated days leave cheaply. A load counts as stored once the server says so, power cut or not:
 * hence the fsync.
 */
function createFacts({ table, dimensions, measures }: Cube): string {
  const texts = dimensions.filter(({ type }) => type === 'string')
  const columns = [
    'account LowCardinality(String)',
    'day Date',
    'load UInt64',
    ...texts.map(({ column }) => `${column} LowCardinality(String) CODEC(ZSTD(1))`),
    ...measures.map(declareMeasure),
    `devices AggregateFunction(${sketch('')}, UInt64)`,
  ]
  return [
    `CREATE TABLE IF NOT EXISTS ${table} (\n  ${columns.join(',\n  ')}\n) ENGINE = MergeTree`,
    'PARTITION BY day',
    'ORDER BY (account, load, adunit_id, country)',
    'SETTINGS fsync_after_insert = 1, fsync_part_directory = 1',
  ].join('\n')
}

export function rollupTable({ table }: Cube): string {
  return `${table}_rollups`
}

/** Stored and removed like the facts of their loads. */
function createRollups(cube: Cube): string {
  const columns = [
    'account LowCardinality(String)',
    'day Date',
    'load UInt64',
    'dimension LowCardinality(String)',
    'value LowCardinality(String) CODEC(ZSTD(1))',
    ...cube.measures.map(declareMeasure),
  ]
  return [
    `CREATE TABLE IF NOT EXISTS ${rollupTable(cube)} (\n  ${columns.join(',\n  ')}\n) ENGINE = MergeTree`,
    'PARTITION BY day',
    'ORDER BY (account, dimension, load, value)',
    'SETTINGS fsync_after_insert = 1, fsync_part_directory = 1',
  ].join('\n')
}

export function declareMeasure({ column, type }: Measure): string {
  return `${column} ${type === 'money' ? 'Decimal(18, 6)' : 'UInt64'}`
}
