import type { Cube } from '../../catalog/cube.ts'
import { quoteName } from '../../duckdb/sql.ts'
import type { Query } from '../../query/query.ts'
import {
  bindFilters,
  compileAnswer,
  compileDayFilters,
  compileFilters,
  indent,
  needsOf,
  type Dialect,
  type Needs,
  type Statement,
} from '../compile.ts'
import type { Scope } from '../facts.ts'
import { columnTypes } from '../fact-folder.ts'
import { matchLike } from './match-pattern.ts'
import { readFiles, type StoredFile } from './read-files.ts'

/** Short lists are faster than a join, three times as fast for columns with few values. */
const listedMax = 8

const duckdbDialect: Dialect = {
  quoteName,
  dayAsText: (day) => `${day}::VARCHAR`,
  asFloat: (sum) => `${sum}::DOUBLE`,
  text: (parameter) => `$${parameter}`,
  isIn: (text, parameter, count) =>
    count <= listedMax ? `list_contains($${parameter}, ${text})` : `${text} IN (SELECT unnest($${parameter}))`,
  matchLike,
  limit: (parameter) => `$${parameter}`,
}

type Options = {
  /** The facts of the scope, and no others. */
  readonly files: readonly StoredFile[]
  /** Their sums: rows of rollups, and facts of loads without one. */
  readonly rolled?: {
    readonly dimension: string
    readonly rollups: readonly StoredFile[]
    readonly others: readonly StoredFile[]
  }
  readonly rows: number
}

/** Compiles a checked query to the statement that answers it from the files of its scope, at most `rows` rows of it. */
export function compileQuery(query: Query, scope: Scope, { files, rolled, rows }: Options): Statement {
  const needs = needsOf(query)
  const conditions = compileFilters(query, duckdbDialect)
  const where = conditions.length > 0 ? `\nWHERE ${conditions.join('\n  AND ')}` : ''
  const facts = files.length > 0 ? readFiles('files', files, query.cube, columnsOf(query, needs)) : noFacts(query.cube)
  const summed = rolled ? compileRolled(query, needs, rolled) : facts
  const groups = compileGroups(query, needs, { summed: `${summed.sql}${where}`, facts: `${facts.sql}${where}` })
  const sql = compileAnswer(query, { sums: groups, days: compileDayCount(query) }, duckdbDialect)
  const days = scope.visible.map(({ day }) => day)
  const params = Object.entries({ ...bindFilters(query, duckdbDialect), ...facts.params, ...summed.params, days, rows })
  // DuckDB refuses parameters that the statement does not have.
  return { sql, params: Object.fromEntries(params.filter(([name]) => sql.includes(`$${name}`))) }
}

/** The columns of facts that a query reads. */
const columnsOf = ({ dimensions, filters }: Query, { measures, dailyMeasures }: Needs): readonly string[] => [
  ...new Set([
    'day',
    ...[...dimensions, ...filters.map(({ dimension }) => dimension)].map(({ column }) => column),
    ...measures,
    ...dailyMeasures,
    'devices',
  ]),
]

/** The sums of rollups, and the facts of the loads without one, in the columns of facts. */
function compileRolled({ cube }: Query, { measures }: Needs, rolled: NonNullable<Options['rolled']>): Statement {
  const { dimension } = rolled
  const select = (column: string): string => ['day', ...(dimension === '' ? [] : [column]), ...measures].join(', ')
  const rollups = readFiles('rollups', rolled.rollups, cube, ['day', 'dimension', 'value', ...measures])
  const others = readFiles('others', rolled.others, cube, [
    'day',
    ...(dimension === '' ? [] : [dimension]),
    ...measures,
  ])
  const selects = [
    `SELECT ${select(`value AS ${dimension}`)} FROM ${rollups.sql} WHERE dimension = $dimension`,
    ...(rolled.others.length > 0 ? [`SELECT ${select(dimension)} FROM ${others.sql}`] : []),
  ]
  const sql = `(\n${indent(selects.join('\nUNION ALL\n'))}\n)`
  return { sql, params: { ...rollups.params, ...others.params, dimension } }
}

/**
 * Counts distinct devices apart from the sums, because a fact with several devices would be summed several times. The sums
 * determine the groups, because a group may have no device.
 */
function compileGroups(
  { dimensions }: Query,
  needs: Needs,
  { summed, facts }: { readonly summed: string; readonly facts: string },
): string {
  const groups = dimensions.map(({ column }) => column)
  const groupBy = groups.length > 0 ? `\nGROUP BY ${groups.join(', ')}` : ''
  const sums = needs.measures.map((column) => `coalesce(sum(${column}), 0) AS ${column}`)
  const hasDevices = needs.hasUniques || needs.dailyMeasures.length > 0
  const columns = [...groups, ...sums, ...(groups.length + sums.length === 0 ? ['count(*) AS facts'] : [])]
  const sumsOnly = `SELECT ${columns.join(', ')}\nFROM ${summed}${groupBy}`
  if (!hasDevices) return sumsOnly

  const counts = [
    ...(needs.hasUniques ? ['count(DISTINCT device_hash) AS uniques'] : []),
    ...needs.dailyMeasures.map(
      (measure) => `count(DISTINCT row(day, device_hash)) FILTER (${measure} > 0) AS daily_${measure}`,
    ),
  ]
  const names = [...(needs.hasUniques ? ['uniques'] : []), ...needs.dailyMeasures.map((measure) => `daily_${measure}`)]
  const needed = new Set([...groups, ...(needs.dailyMeasures.length > 0 ? ['day'] : []), ...needs.dailyMeasures])
  const devices = [
    `SELECT ${[...groups, ...counts].join(', ')}`,
    `FROM (\n${indent(`SELECT ${[...needed, 'unnest(devices) AS device_hash'].join(', ')}\nFROM ${facts}`)}\n)${groupBy}`,
  ].join('\n')
  return [
    `SELECT sums.*, ${names.map((name) => `coalesce(devices.${name}, 0) AS ${name}`).join(', ')}`,
    `FROM (\n${indent(sumsOnly)}\n) AS sums`,
    `${groups.length > 0 ? 'LEFT' : 'CROSS'} JOIN (\n${indent(devices)}\n) AS devices${groups.length > 0 ? ` USING (${groups.join(', ')})` : ''}`,
  ].join('\n')
}

/** The number of loaded days that pass the filters on Day. */
function compileDayCount(query: Query): string {
  const conditions = compileDayFilters(query, 'day', duckdbDialect)
  const where = conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : ''
  return `(SELECT count(DISTINCT day) FROM (SELECT unnest($days) AS day)${where})`
}

/** For accounts without files: read_parquet needs at least one. */
function noFacts({ dimensions, measures }: Cube): Statement {
  const columns = [
    ...dimensions.map(({ column, type }) => `NULL::${type === 'date' ? 'DATE' : 'VARCHAR'} AS ${column}`),
    ...measures.map(({ column, type }) => `NULL::${columnTypes[type]} AS ${column}`),
    'NULL::UBIGINT[] AS devices',
  ]
  return { sql: `(SELECT ${columns.join(', ')} LIMIT 0)`, params: {} }
}
