import { globSync } from 'node:fs'
import { join } from 'node:path'
import { auctions } from '../src/catalog/auctions.ts'
import type { Metric } from '../src/catalog/cube.ts'
import type { Body } from './api.ts'

/** A fact file in the data folder. */
export type FactFile = { readonly account: string; readonly day: string; readonly path: string }

export const readPlace = (path: string): Omit<FactFile, 'path'> => {
  const [, account = '', day = ''] = /account=([^/]+)\/day=([^/]+)/.exec(path) ?? []
  return { account, day }
}

/** Lists the fact files of a data folder by account. */
export function listFactFiles(adcube: string): ReadonlyMap<string, readonly FactFile[]> {
  const paths = globSync(join(adcube, 'facts/auctions/*/account=*/day=*/facts_0.parquet')).toSorted()
  return Map.groupBy(
    paths.map((path) => ({ ...readPlace(path), path })),
    ({ account }) => account,
  )
}

export const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`

const listOf = (texts: readonly string[]): string => texts.map(quote).join(', ')
const columnOf = (name: string): string => auctions.dimensions.find((each) => each.name === name)!.column

/** Returns the SQL that an engineer would write for a query: over the files of its days, grouped, sorted and limited. */
export function plainSql({ start, end, filters = [], sort = [], ...body }: Body, files: readonly FactFile[]): string {
  const paths = files.filter(({ day }) => day >= start && day <= end).map(({ path }) => path)
  const facts = `read_parquet([${listOf(paths)}])`
  const groups = body.dimensions.map(columnOf)
  const fields = [
    ...body.dimensions.map(
      (name) => `${name === 'Day' ? 'day::VARCHAR' : `nullif(${columnOf(name)}, '')`} AS "${name}"`,
    ),
    ...body.metrics.map((name) => `${sumOf(auctions.metrics.find((each) => each.name === name)!)} AS "${name}"`),
  ]
  const conditions = filters.map(
    ({ field, operator, value = '', values }) =>
      `${columnOf(field)} ${operator} ${values ? `(${listOf(values)})` : quote(value)}`,
  )
  const order = [...sort.map(({ field, order }) => `"${field}" ${order}`), ...groups]
  // The benchmark's queries for distinct devices have no other metric.
  const source = body.metrics.includes('Uniques') ? `(SELECT *, unnest(devices) AS one_device FROM ${facts})` : facts
  const clause = (word: string, items: readonly string[], by = ', '): string =>
    items.length > 0 ? `${word} ${items.join(by)}` : ''
  return `SELECT ${fields.join(', ')} FROM ${source} ${clause('WHERE', conditions, ' AND ')} ${clause('GROUP BY', groups)}
    ${clause('ORDER BY', order)} LIMIT ${body.limit}`
}

function sumOf({ formula }: Metric): string {
  if (formula.kind === 'sum') return `sum(${formula.measure})`
  if (formula.kind !== 'ratio') return 'count(DISTINCT one_device)'
  return `${formula.times} * sum(${formula.numerator})::DOUBLE / nullif(sum(${formula.denominator})::DOUBLE, 0)`
}
