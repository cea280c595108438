import type { Dimension, Measure } from '../../catalog/cube.ts'
import { firstTables, type FactTable } from '../stored-columns.ts'

/**
 * Distinct devices are counted with sketches, which merge over any group and any days. With this precision a sketch takes
 * at most 12 KB. Another precision needs a new column, because stored sketches have this type.
 */
const precision = 14

/** An aggregate function, such as `uniqCombined64Merge(14)`. */
export const sketch = (combinator: '' | 'State' | 'Merge' | 'MergeIf' | 'MergeState'): string =>
  `uniqCombined64${combinator}(${precision})`

/** The relative standard error of a count. */
export const sketchError = 1.04 / Math.sqrt(2 ** precision)

export type SchemaStep = {
  readonly step: number
  readonly name: string
  readonly statements: readonly string[]
}

type Column = Pick<Dimension, 'column' | 'type'> | Pick<Measure, 'column' | 'type'>

const columnTypes: Record<Column['type'], string> = {
  date: 'Date',
  string: 'LowCardinality(String) CODEC(ZSTD(1))',
  count: 'UInt64',
  money: 'Decimal(18, 6)',
}

/**
 * The schema of the database, step by step, from the tables of the first release. `planGrowth` adds what the catalog has
 * besides. Every statement can run twice, because a crash may fall between it and the record of its step.
 */
export const schemaSteps: readonly SchemaStep[] = [
  { step: 1, name: 'facts with sketches of MD5', statements: firstTables.map(createFacts) },
  { step: 2, name: 'rollups', statements: firstTables.map(createRollups) },
]

/** The statements that add cubes and columns of the catalog to tables that lack them. */
export function planGrowth(
  cubes: readonly FactTable[],
  stored: readonly { readonly table: string; readonly name: string }[],
): readonly string[] {
  const columnsOf = Map.groupBy(stored, ({ table }) => table)
  const grow = (table: string, create: string, columns: readonly Column[]): string[] => {
    const known = columnsOf.get(table)?.map(({ name }) => name)
    if (!known) return [create]
    const added = columns.filter(({ column }) => !known.includes(column)).map(declareColumn)
    return added.length > 0
      ? [`ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS ${added.join(', ADD COLUMN IF NOT EXISTS ')}`]
      : []
  }
  return cubes.flatMap((cube) => [
    ...grow(cube.table, createFacts(cube), [...cube.dimensions, ...cube.measures]),
    ...grow(rollupTable(cube), createRollups(cube), cube.measures),
  ])
}

/** Every fact has the number of its load, because queries name the loads that they read. */
function createFacts({ table, sortKey, dimensions, measures }: FactTable): string {
  const columns = [
    'account LowCardinality(String)',
    'day Date',
    'load UInt64',
    ...[...dimensions.filter(({ type }) => type === 'string'), ...measures].map(declareColumn),
    `devices AggregateFunction(${sketch('')}, UInt64)`,
  ]
  return createTable(table, columns, ['account', 'load', ...sortKey])
}

export function rollupTable({ table }: Pick<FactTable, 'table'>): string {
  return `${table}_rollups`
}

function createRollups(cube: FactTable): string {
  const columns = [
    'account LowCardinality(String)',
    'day Date',
    'load UInt64',
    'dimension LowCardinality(String)',
    'value LowCardinality(String) CODEC(ZSTD(1))',
    ...cube.measures.map(declareColumn),
  ]
  return createTable(rollupTable(cube), columns, ['account', 'dimension', 'load', 'value'])
}

/**
 * Partitions by day make it cheap to remove replaced and old days. With fsync, a load that the server has confirmed
 * survives a power cut.
 */
function createTable(table: string, columns: readonly string[], sortKey: readonly string[]): string {
  return [
    `CREATE TABLE IF NOT EXISTS ${table} (\n  ${columns.join(',\n  ')}\n) ENGINE = MergeTree`,
    'PARTITION BY day',
    `ORDER BY (${sortKey.join(', ')})`,
    'SETTINGS fsync_after_insert = 1, fsync_part_directory = 1',
  ].join('\n')
}

export function declareColumn({ column, type }: Column): string {
  return `${column} ${columnTypes[type]}`
}
