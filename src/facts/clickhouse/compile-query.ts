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
import type { Rows, Scope } from '../facts.ts'
import { chooseSources } from '../rollups.ts'
import { rollupTable, sketch } from './schema.ts'

const clickhouseDialect: Dialect = {
  quoteName: (name) => `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``,
  dayAsText: (day) => `toString(${day})`,
  asFloat: (sum) => `toFloat64(${sum})`,
  text: (parameter) => `{${parameter}:String}`,
  isIn: (text, parameter) => `${text} IN {${parameter}:Array(String)}`,
  matchLike: (pattern) => ({
    matches: (text, parameter) => `${text} LIKE {${parameter}:String}`,
    // ClickHouse would keep a backslash before an ordinary character.
    pattern: pattern.replaceAll(/\\(.)/gsu, (pair, character: string) =>
      '%_\\'.includes(character) ? pair : character,
    ),
  }),
  limit: (parameter) => `{${parameter}:UInt64}`,
}

/** Compiles a checked query to the statement that answers it from the loads of its scope, at most `rows` rows of it. */
export function compileQuery(query: Query, scope: Scope, rows: number): Statement & Pick<Rows, 'readFrom'> {
  const needs = needsOf(query)
  const { dimension, rolled, others, readFrom } = chooseSources(query, scope, { countsApart: false })
  const isByDay = query.dimensions.some(({ type }) => type === 'date')
  const groups = query.dimensions.map(({ column }) => column)
  const from = rolled.length > 0 ? compileRolled(query, needs, dimension) : compileFacts(query)
  const sums =
    needs.dailyMeasures.length > 0 && !isByDay
      ? compileFoldedSums(query, needs, groups, from)
      : compileGroups(groups, compileSums(query, needs, `${sketch('Merge')}(facts.devices) AS uniques`), from)
  return {
    sql: compileAnswer(query, { sums, days: compileDayCount(query) }, clickhouseDialect),
    params: {
      ...bindFilters(query, clickhouseDialect),
      account: scope.account,
      days: others.map(({ day }) => day),
      loads: others.map(({ load }) => load),
      ...(rolled.length > 0 && {
        dimension,
        rolledDays: rolled.map(({ day }) => day),
        rolledLoads: rolled.map(({ load }) => load),
      }),
      rows,
    },
    readFrom,
  }
}

/** Sums per group and day first, because distinct devices per day cannot be added up in one step. */
function compileFoldedSums(query: Query, needs: Needs, groups: readonly string[], from: string): string {
  const sums = compileSums(query, needs, `${sketch('MergeState')}(facts.devices) AS devices`)
  const daily = compileGroups(['day', ...groups], sums, from)
  return compileGroups(
    groups,
    [
      ...needs.measures.map((column) => `sum(daily.${column}) AS ${column}`),
      ...(needs.hasUniques ? [`${sketch('Merge')}(daily.devices) AS uniques`] : []),
      ...needs.dailyMeasures.map((measure) => `sum(daily.daily_${measure}) AS daily_${measure}`),
    ],
    `(\n${indent(daily)}\n) AS daily`,
  )
}

const compileGroups = (groups: readonly string[], sums: readonly string[], from: string): string =>
  [
    `SELECT ${[...groups, ...sums].join(', ')}`,
    `FROM ${from}`,
    ...(groups.length > 0 ? [`GROUP BY ${groups.join(', ')}`] : []),
  ].join('\n')

/** Counts are summed as 128-bit numbers: sums of the largest counts overflow 64 bits, without an error. */
const compileSums = ({ cube }: Query, needs: Needs, uniques: string): string[] => [
  ...cube.measures
    .filter(({ column }) => needs.measures.includes(column))
    .map(
      ({ column, type }) => `sum(${type === 'count' ? `toUInt128(facts.${column})` : `facts.${column}`}) AS ${column}`,
    ),
  ...(needs.hasUniques ? [uniques] : []),
  ...needs.dailyMeasures.map(
    (measure) => `${sketch('MergeIf')}(facts.devices, facts.${measure} > 0) AS daily_${measure}`,
  ),
]

const isVisible = ['account = {account:String}', '(day, load) IN arrayZip({days:Array(Date)}, {loads:Array(UInt64)})']

const compileFacts = (query: Query): string =>
  `${query.cube.table} AS facts${whereAll([...isVisible, ...compileFilters(query, clickhouseDialect)])}`

/** The sums of rollups, and the facts of the loads without one, in the columns of facts. */
function compileRolled(query: Query, { measures }: Needs, dimension: string): string {
  const select = (column: string): string => ['day', ...(dimension === '' ? [] : [column]), ...measures].join(', ')
  const isRolled = [
    'account = {account:String}',
    'dimension = {dimension:String}',
    '(day, load) IN arrayZip({rolledDays:Array(Date)}, {rolledLoads:Array(UInt64)})',
  ]
  const selects = [
    `SELECT ${select(`value AS ${dimension}`)}\nFROM ${rollupTable(query.cube)}${whereAll(isRolled)}`,
    `SELECT ${select(dimension)}\nFROM ${query.cube.table}${whereAll(isVisible)}`,
  ]
  const filters = compileFilters(query, clickhouseDialect)
  return `(\n${indent(selects.join('\nUNION ALL\n'))}\n) AS facts${filters.length > 0 ? whereAll(filters) : ''}`
}

const whereAll = (conditions: readonly string[]): string => `\nWHERE ${conditions.join('\n  AND ')}`

/**
 * The number of loaded days that pass the filters on Day. Only queries that count devices use it, and these read nothing
 * from rollups.
 */
function compileDayCount(query: Query): string {
  const conditions = compileDayFilters(query, clickhouseDialect.dayAsText('day'), clickhouseDialect)
  const days = '{days:Array(Date)}'
  return `arrayUniq(${conditions.length > 0 ? `arrayFilter(day -> ${conditions.join(' AND ')}, ${days})` : days})`
}
