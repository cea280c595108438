import { accountIdPattern } from '../catalog/account-id.ts'
import type { Cube } from '../catalog/cube.ts'
import { indent } from '../facts/compile.ts'
import { columnTypes } from '../facts/duckdb/fact-columns.ts'
import { quoteName, quoteText } from '../facts/duckdb/open-duckdb.ts'
import { compileColumn, rawOf, valueOf, type Check, type CompiledColumn } from './compile-values.ts'
import type { IntakeColumn } from './match-columns.ts'
import type { FileFormat } from './source.ts'

/** Files that have the same columns in the same order, and can be read as one. */
export type Layout = { readonly format: FileFormat; readonly columns: readonly IntakeColumn[] }

/** One reading of files of the same layout. */
export type Scan = {
  /** The parameter that holds their paths. */
  readonly files: string
  /** The table that lines go into that are no rows of CSV. */
  readonly rejects: string
}

/** The message of the error that a wrong row raises: the load is over then, and all faults are looked for. */
export const faultMark = 'a row has a fault'

/**
 * The facts of the files in the parameter, as they are stored. A row that is not as it must be raises an error, because
 * most loads have none, and then the files are read once.
 */
export function compileFacts(cube: Cube, layout: Layout, scan: Scan): string {
  const columns = compileLayout(layout)
  const known = new Map(columns.map(({ column }) => [column.column, valueOf(column)]))
  const devices = columns.find(({ column: { kind } }) => kind === 'device' || kind === 'devices')
  const select = [
    `${known.get('account')} AS account`,
    ...cube.dimensions.map(({ column }) => `${known.get(column) ?? "''"} AS ${column}`),
    ...cube.measures.map(({ column, type }) => `(${known.get(column) ?? 0})::${columnTypes[type]} AS ${column}`),
    `${devices ? valueOf(devices.column) : '[]::UBIGINT[]'} AS devices`,
  ]
  const checks = columns.flatMap((column) => column.checks)
  const isWrong = checks.map((check) => check.isWrong).join('\n  OR ')
  return [
    `SELECT ${select.join(', ')}`,
    `FROM (\n${indent(compileTyped(layout, columns, scan))}\n)`,
    // An error of a constant would be raised while the statement is planned.
    `WHERE CASE WHEN ${isWrong} THEN error(${quoteText(faultMark)} || left(${known.get('account')}, 0))::BOOLEAN ELSE true END`,
  ].join('\n')
}

/** How many faults the rows of the files have, and the first of them, row by row. */
export function compileFaults(layout: Layout, checks: readonly Check[], scan: Scan, shown: number): string {
  const columns = compileLayout(layout)
  const each = checks.map(
    ({ field, isWrong, value, reason }) =>
      `CASE WHEN ${isWrong} THEN {'field': ${quoteText(field)}, 'value': ${value}, 'reason': ${reason}} END`,
  )
  return [
    `SELECT coalesce(sum(len(faults)), 0)::BIGINT AS count, arg_min({'row': row, 'faults': faults}, row, ${shown}) AS first`,
    'FROM (',
    `  SELECT row, list_filter([\n${indent(indent(each.join(',\n')))}\n  ], lambda each: each IS NOT NULL) AS faults`,
    `  FROM (\n${indent(indent(compileTyped(layout, columns, scan)))}\n  )`,
    `  WHERE ${checks.map((check) => check.isWrong).join('\n    OR ')}`,
    ')',
  ].join('\n')
}

export const checksOf = (layout: Layout): readonly Check[] => compileLayout(layout).flatMap(({ checks }) => checks)

/** Asked of each row only when faults are looked for; otherwise of the few accounts that all rows have together. */
export const accountChecks = ({ columns }: Layout, isKnownList: boolean): readonly Check[] =>
  columns
    .filter(({ kind }) => kind === 'account')
    .map((column) => {
      const account = valueOf(column)
      const isRight = isKnownList
        ? `${account} IN (SELECT unnest($accounts))`
        : `regexp_full_match(${account}, ${quoteText(accountIdPattern)})`
      return {
        field: column.nameInFile,
        isWrong: `(${account} <> '' AND NOT ${isRight})`,
        value: `left(${account}, 61)`,
        reason: quoteText(isKnownList ? 'is not an account' : 'cannot be the id of an account'),
      }
    })

/** Relations that cannot be, such as more clicks than impressions. Where the larger is left out, nothing is said. */
export function relationsOf(cube: Cube, layout: Layout): readonly Check[] {
  const columns = new Map(compileLayout(layout).map((compiled) => [compiled.column.column, compiled]))
  return cube.funnels
    .flatMap((steps) => steps.slice(1).map((larger, index) => [steps[index] ?? '', larger] as const))
    .flatMap(([smallerName, largerName]) => {
      const [smaller, larger] = [columns.get(smallerName), columns.get(largerName)]
      if (!smaller || !larger) return []
      const [few, many] = [valueOf(smaller.column), valueOf(larger.column)]
      return [
        {
          field: smaller.column.nameInFile,
          isWrong: `coalesce(${few} > ${many} AND ${larger.isGiven}, false)`,
          value: 'NULL',
          reason: `${few}::VARCHAR || ' is more than ${largerName}, ' || ${many}::VARCHAR`,
        },
      ]
    })
}

/** Whether stored facts have any such relation: a quick look that saves most loads from reading their files again. */
export const compileAnyRelation = ({ funnels }: Cube): string => {
  const pairs = funnels.flatMap((steps) => steps.slice(1).map((larger, index) => `${steps[index]} > ${larger}`))
  return `SELECT 1 FROM read_parquet($files, hive_partitioning = false) WHERE ${pairs.join(' OR ')} LIMIT 1`
}

const compileLayout = ({ format, columns }: Layout): readonly CompiledColumn[] =>
  columns.map((column) => compileColumn(column, format))

function compileTyped(layout: Layout, columns: readonly CompiledColumn[], scan: Scan): string {
  const values = columns.map(({ column, value }) => `${value} AS ${valueOf(column)}`)
  return `SELECT *, ${values.join(',\n  ')}\nFROM (\n${indent(compileRaw(layout, scan))}\n)`
}

function compileRaw({ format, columns }: Layout, scan: Scan): string {
  switch (format) {
    case 'parquet': {
      const raw = columns.map((column) => `${quoteName(column.nameInFile)} AS ${rawOf(column)}`)
      return `SELECT file_row_number + 1 AS row, ${raw.join(', ')}\nFROM read_parquet($${scan.files}, file_row_number = true, binary_as_string = true, hive_partitioning = false)`
    }
    case 'csv':
      return `SELECT row_number() OVER () AS row, *\nFROM ${compileCsv(columns, scan)}`
    case 'ndjson': {
      const shape = Object.fromEntries(
        columns.map(({ nameInFile, type }) => [nameInFile, type === 'list' ? ['VARCHAR'] : 'VARCHAR']),
      )
      const raw = columns.map((column) => `object.${quoteName(column.nameInFile)} AS ${rawOf(column)}`)
      return [
        `SELECT row, json, ${raw.join(', ')}`,
        `FROM (SELECT row_number() OVER () AS row, json, json_transform(json, ${quoteText(JSON.stringify(shape))}) AS object`,
        `FROM read_ndjson_objects($${scan.files}))`,
      ].join('\n')
    }
  }
}

function compileCsv(columns: readonly IntakeColumn[], { files, rejects }: Scan): string {
  const types = columns.map((column) => `${quoteText(rawOf(column))}: 'VARCHAR'`)
  return [
    `read_csv($${files}, header = true, auto_detect = false, all_varchar = true, strict_mode = true,`,
    `  delim = ',', quote = '"', escape = '"', columns = {${types.join(', ')}},`,
    `  store_rejects = true, rejects_table = '${rejects}', rejects_scan = '${rejects}_scan', rejects_limit = 0)`,
  ].join('\n')
}
