import { accountIdPattern } from './file-columns.ts'
import type { Cube } from '../catalog/cube.ts'
import type { FileFormat } from './file-columns.ts'
import { indent } from '../facts/compile.ts'
import { quoteName, quoteText } from '../duckdb/sql.ts'
import { columnTypes } from '../facts/fact-folder.ts'
import type { Check, CompiledColumn } from './compile-values.ts'

/** The columns of a file. Files of the same layout are read as one. */
export type Layout = { readonly format: FileFormat; readonly columns: readonly CompiledColumn[] }

/** One read of files that have the same layout. */
export type Scan = {
  /** The parameter that holds their paths. */
  readonly files: string
  /** The table for lines that are not rows of CSV. */
  readonly rejects: string
}

/** Groups of checks: a row gets at most one fault of each group, the first that applies. */
export type Checks = readonly (readonly Check[])[]

/** The message of the error that a faulty row raises. */
export const faultMark = 'a row has a fault'

/**
 * Selects the facts of files as they are stored. A faulty row raises an error: most loads have none, and then their files
 * are read only once.
 */
export function compileFacts(cube: Cube, layout: Layout, scan: Scan): string {
  const { columns } = layout
  const known = new Map(columns.map(({ column, stored }) => [column, stored]))
  const devices = columns.find(({ kind }) => kind === 'device' || kind === 'devices')?.stored
  const select = [
    `${known.get('account')} AS account`,
    ...cube.dimensions.map(({ column }) => `${known.get(column) ?? "''"} AS ${column}`),
    ...cube.measures.map(({ column, type }) => `(${known.get(column) ?? 0})::${columnTypes[type]} AS ${column}`),
    `${devices ?? '[]::UBIGINT[]'} AS devices`,
  ]
  const isWrong = columns.flatMap(({ checks }) => checks.map((check) => check.isWrong)).join('\n  OR ')
  return [
    `SELECT ${select.join(', ')}`,
    `FROM (\n${indent(compileTyped(layout, scan))}\n)`,
    // Without the account, the error would be constant and raised while the statement is planned.
    `WHERE CASE WHEN ${isWrong} THEN error(${quoteText(faultMark)} || left(${known.get('account')}, 0))::BOOLEAN ELSE true END`,
  ].join('\n')
}

/** Counts the faults of files, and selects those of the first `shown` faulty rows. */
export function compileFaults(layout: Layout, checks: Checks, scan: Scan, shown: number): string {
  const groups = checks.map((group) => {
    const cases = group.map(
      ({ field, isWrong, value, reason }) =>
        `WHEN ${isWrong} THEN {'field': ${quoteText(field)}, 'value': ${value}, 'reason': ${reason}}`,
    )
    return `CASE ${cases.join('\n  ')} END`
  })
  return [
    `SELECT coalesce(sum(len(faults)), 0)::BIGINT AS count, arg_min({'row': row, 'faults': faults}, row, ${shown}) AS first`,
    'FROM (',
    `  SELECT row, list_filter([\n${indent(indent(groups.join(',\n')))}\n  ], lambda each: each IS NOT NULL) AS faults`,
    `  FROM (\n${indent(indent(compileTyped(layout, scan)))}\n  )`,
    `  WHERE ${checks.flatMap((group) => group.map(({ isWrong }) => isWrong)).join('\n    OR ')}`,
    ')',
  ].join('\n')
}

/** All checks of a layout. The account of each row is checked only here: a load checks its few accounts once. */
export const checksOf = ({ columns }: Layout, hasAccounts: boolean): Checks =>
  columns
    .map((column) =>
      column.kind === 'account' ? [...column.checks, checkAccount(column, hasAccounts)] : column.checks,
    )
    .filter((group) => group.length > 0)

const checkAccount = ({ nameInFile: field, stored }: CompiledColumn, hasAccounts: boolean): Check => ({
  field,
  isWrong: hasAccounts
    ? `NOT ${stored} IN (SELECT unnest($accounts))`
    : `NOT regexp_full_match(${stored}, ${quoteText(accountIdPattern)})`,
  value: `left(${stored}, 61)`,
  reason: quoteText(hasAccounts ? 'is not an account' : 'cannot be the id of an account'),
})

const pairsOf = ({ funnels }: Cube) =>
  funnels.flatMap((steps) => steps.slice(1).map((larger, index) => [steps[index] ?? '', larger] as const))

/** Checks for impossible relations, such as more clicks than impressions. A larger value that is missing is no fault. */
export const relationsOf = (cube: Cube, { columns }: Layout): Checks =>
  pairsOf(cube).flatMap(([smallerName, largerName]) => {
    const smaller = columns.find(({ column }) => column === smallerName)
    const larger = columns.find(({ column }) => column === largerName)
    if (!smaller || !larger) return []
    const check = {
      field: smaller.nameInFile,
      isWrong: `coalesce(${smaller.stored} > ${larger.stored} AND ${larger.isGiven}, false)`,
      value: 'NULL',
      reason: `${smaller.stored}::VARCHAR || ' is more than ${largerName}, ' || ${larger.stored}::VARCHAR`,
    }
    return [[check]]
  })

/** Finds out if stored facts have an impossible relation. Most do not, and then their files are not read again. */
export const compileAnyRelation = (cube: Cube): string =>
  `SELECT 1 FROM read_parquet($files, hive_partitioning = false)
  WHERE ${
    pairsOf(cube)
      .map(([smaller, larger]) => `${smaller} > ${larger}`)
      .join(' OR ') || 'false'
  } LIMIT 1`

function compileTyped(layout: Layout, scan: Scan): string {
  const values = layout.columns.map(({ value, stored }) => `${value} AS ${stored}`)
  return `SELECT *, ${values.join(',\n  ')}\nFROM (\n${indent(compileRaw(layout, scan))}\n)`
}

function compileRaw({ format, columns }: Layout, { files, rejects }: Scan): string {
  const select = (from = '') => columns.map(({ nameInFile, raw }) => `${from}${quoteName(nameInFile)} AS ${raw}`)
  switch (format) {
    case 'parquet':
      return `SELECT file_row_number + 1 AS row, ${select().join(', ')}
FROM read_parquet($${files}, file_row_number = true, binary_as_string = true, hive_partitioning = false)`
    case 'csv': {
      const types = columns.map(({ raw }) => `${quoteText(raw)}: 'VARCHAR'`)
      return `SELECT row_number() OVER () AS row, *
FROM read_csv($${files}, header = true, auto_detect = false, all_varchar = true, strict_mode = true,
  delim = ',', quote = '"', escape = '"', columns = {${types.join(', ')}},
  store_rejects = true, rejects_table = '${rejects}', rejects_scan = '${rejects}_scan', rejects_limit = 0)`
    }
    case 'ndjson': {
      const shape = Object.fromEntries(
        columns.map(({ nameInFile, type }) => [nameInFile, type === 'list' ? ['VARCHAR'] : 'VARCHAR']),
      )
      return `SELECT row, json, ${select('object.').join(', ')}
FROM (SELECT row_number() OVER () AS row, json, json_transform(json, ${quoteText(JSON.stringify(shape))}) AS object
FROM read_ndjson_objects($${files}))`
    }
  }
}
