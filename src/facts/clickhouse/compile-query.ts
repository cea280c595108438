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
import { sketch } from './sketch.ts'

const clickhouseDialect: Dialect = {
  quoteName: (name) => `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``,
  dayAsText: (day) => `toString(${day})`,
  asFloat: (sum) => `toFloat64(${sum})`,
  text: (parameter) => `{${parameter}:String}`,
  isIn: (text, parameter) => `${text} IN {${parameter}:Array(String)}`,
  isLike: (text, parameter) => `${text} LIKE {${parameter}:String}`,
  limit: (parameter) => `{${parameter}:UInt64}`,
}

/** Compiles a checked query to the statement that answers it from the loads of its scope, at most `rows` rows of it. */
export function compileQuery(query: Query, { account, visible }: Scope, rows: number): Statement {
  const needs = needsOf(query)
  const isByDay = query.dimensions.some(({ type }) => type === 'date')
  const sums = needs.dailyMeasures.length > 0 && !isByDay ? compileFoldedSums(query, needs) : compileSums(query, needs)
  return {
    sql: compileAnswer(query, { sums, days: compileDayCount(query) }, clickhouseDialect),
    params: {
      ...bindFilters(query),
      account,
      days: visible.map(({ day }) => day),
      loads: visible.map(({ load }) => load),
      rows,
    },
  }
}

function compileSums(query: Query, needs: Needs): string {
  const groups = query.dimensions.map(({ column }) => column)
  return compileGroups(
    groups,
    [
      ...compileMeasures(query, needs),
      ...(needs.hasUniques ? [`${sketch('Merge')}(facts.devices) AS uniques`] : []),
      ...needs.dailyMeasures.map(compileDaily),
    ],
    compileFacts(query),
  )
}

/** Distinct devices of a day cannot be added up in one step, so the facts are first folded to a row a group and day. */
function compileFoldedSums(query: Query, needs: Needs): string {
  const groups = query.dimensions.map(({ column }) => column)
  const daily = compileGroups(
    ['day', ...groups],
    [
      ...compileMeasures(query, needs),
      ...(needs.hasUniques ? [`${sketch('MergeState')}(facts.devices) AS devices`] : []),
      ...needs.dailyMeasures.map(compileDaily),
    ],
    compileFacts(query),
  )
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

/** Sums of counts that are as large as a count may be do not fit into 64 bits, and the server would cut them off. */
const compileMeasures = ({ cube }: Query, needs: Needs): string[] =>
  cube.measures
    .filter(({ column }) => needs.measures.includes(column))
    .map(
      ({ column, type }) => `sum(${type === 'count' ? `toUInt128(facts.${column})` : `facts.${column}`}) AS ${column}`,
    )

const compileDaily = (measure: string): string =>
  `${sketch('MergeIf')}(facts.devices, facts.${measure} > 0) AS daily_${measure}`

function compileFacts(query: Query): string {
  const conditions = [
    'account = {account:String}',
    '(day, load) IN arrayZip({days:Array(Date)}, {loads:Array(UInt64)})',
    ...compileFilters(query, clickhouseDialect),
  ]
  return `${query.cube.table} AS facts\nWHERE ${conditions.join('\n  AND ')}`
}

/** How many of the loaded days the query is about: those that its filters on Day, if any, let through. */
function compileDayCount(query: Query): string {
  const conditions = compileDayFilters(query, clickhouseDialect.dayAsText('day'), clickhouseDialect)
  const days = '{days:Array(Date)}'
  return `arrayUniq(${conditions.length > 0 ? `arrayFilter(day -> ${conditions.join(' AND ')}, ${days})` : days})`
}
