import type { Cube } from '../../catalog/cube.ts'
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
import { columnTypes } from './fact-columns.ts'
import { quoteName } from './open-duckdb.ts'

/** A short list is looked through faster than a join is made, thrice as fast for columns with few values. */
const listedMax = 8

const duckdbDialect: Dialect = {
  quoteName,
  dayAsText: (day) => `${day}::VARCHAR`,
  asFloat: (sum) => `${sum}::DOUBLE`,
  text: (parameter) => `$${parameter}`,
  isIn: (text, parameter, count) =>
    count <= listedMax ? `list_contains($${parameter}, ${text})` : `${text} IN (SELECT unnest($${parameter}))`,
  isLike: (text, parameter) => `${text} LIKE $${parameter} ESCAPE '\\'`,
  limit: (parameter) => `$${parameter}`,
}

type Options = {
  /** What holds the facts of the scope, and nothing else. */
  readonly files: readonly string[]
  readonly rows: number
}

/** Compiles a checked query to the statement that answers it from the files of its scope, at most `rows` rows of it. */
export function compileQuery(query: Query, scope: Scope, { files, rows }: Options): Statement {
  const needs = needsOf(query)
  const days = scope.visible.map(({ day }) => day)
  const where = compileFilters(query, duckdbDialect)
  const source = `${files.length > 0 ? 'read_parquet($files, hive_partitioning = false)' : noFacts(query.cube)}${where.length > 0 ? `\nWHERE ${where.join('\n  AND ')}` : ''}`
  const sql = compileAnswer(
    query,
    { sums: compileSums(query, needs, source), days: compileDayCount(query) },
    duckdbDialect,
  )
  return {
    sql,
    params: {
      ...bindFilters(query),
      ...(files.length > 0 && { files }),
      ...(sql.includes('$days') && { days }),
      rows,
    },
  }
}

/**
 * Distinct devices are counted apart from the sums, because a fact with several devices would be summed several times.
 * A group without any device is still a group, so the sums say which groups there are.
 */
function compileSums({ dimensions }: Query, needs: Needs, source: string): string {
  const groups = dimensions.map(({ column }) => column)
  const groupBy = groups.length > 0 ? `\nGROUP BY ${groups.join(', ')}` : ''
  const sums = needs.measures.map((column) => `coalesce(sum(${column}), 0) AS ${column}`)
  const hasDevices = needs.hasUniques || needs.dailyMeasures.length > 0
  const summed = [...groups, ...sums, ...(groups.length + sums.length === 0 ? ['count(*) AS facts'] : [])]
  const sumsOnly = `SELECT ${summed.join(', ')}\nFROM ${source}${groupBy}`
  if (!hasDevices) return sumsOnly

  const counts = [
    ...(needs.hasUniques ? ['count(DISTINCT device_hash) AS uniques'] : []),
    ...needs.dailyMeasures.map(
      (measure) => `count(DISTINCT row(day, device_hash)) FILTER (${measure} > 0) AS daily_${measure}`,
    ),
  ]
  const names = [...(needs.hasUniques ? ['uniques'] : []), ...needs.dailyMeasures.map((measure) => `daily_${measure}`)]
  const read = new Set([...groups, ...(needs.dailyMeasures.length > 0 ? ['day'] : []), ...needs.dailyMeasures])
  const devices = [
    `SELECT ${[...groups, ...counts].join(', ')}`,
    `FROM (\n${indent(`SELECT ${[...read, 'unnest(devices) AS device_hash'].join(', ')}\nFROM ${source}`)}\n)${groupBy}`,
  ].join('\n')
  return [
    `SELECT sums.*, ${names.map((name) => `coalesce(devices.${name}, 0) AS ${name}`).join(', ')}`,
    `FROM (\n${indent(sumsOnly)}\n) AS sums`,
    `${groups.length > 0 ? 'LEFT' : 'CROSS'} JOIN (\n${indent(devices)}\n) AS devices${groups.length > 0 ? ` USING (${groups.join(', ')})` : ''}`,
  ].join('\n')
}

/** How many of the loaded days the query is about: those that its filters on Day, if any, let through. */
function compileDayCount(query: Query): string {
  const conditions = compileDayFilters(query, 'day', duckdbDialect)
  const where = conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : ''
  return `(SELECT count(DISTINCT day) FROM (SELECT unnest($days) AS day)${where})`
}

/** An account that has nothing loaded has no files, and read_parquet wants at least one. */
function noFacts({ dimensions, measures }: Cube): string {
  const columns = [
    ...dimensions.map(({ column, type }) => `NULL::${type === 'date' ? 'DATE' : 'VARCHAR'} AS ${column}`),
    ...measures.map(({ column, type }) => `NULL::${columnTypes[type]} AS ${column}`),
    'NULL::UBIGINT[] AS devices',
  ]
  return `(SELECT ${columns.join(', ')} LIMIT 0)`
}
