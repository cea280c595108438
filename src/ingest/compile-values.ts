import type { FileFormat } from './file-columns.ts'
import { quoteText } from '../duckdb/sql.ts'
import type { IntakeColumn } from './match-columns.ts'

const textBytesMax = 1_000
const countMax = 10_000_000_000_000_000n
const amountMax = 1_000_000_000_000n
const amountPlaces = 6

const dayPattern = '[0-9]{4}-[0-9]{2}-[0-9]{2}([ T]00:00:00(\\.0+)?(Z|\\+00(:00)?)?)?'
/** Other tools may have written a whole number as a floating-point one, with zeros after the point. */
const countPattern = '[0-9]+(\\.0+)?'
const amountPattern = '-?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]{1,3})?'

export const describeCount = `whole number, digits only, 0 to ${countMax.toLocaleString('en-US')}`
export const describeAmount = `amount such as 12.5, -0.25 or 1e-3, less than ${amountMax.toLocaleString('en-US')} either side of 0, rounded to ${amountPlaces} decimals`

/** A fault that a row may have, in SQL. */
export type Check = {
  /** The column's name in the file. */
  readonly field: string
  readonly isWrong: string
  /** The value that is quoted before the reason. */
  readonly value: string
  readonly reason: string
}

/** A column of a file and the SQL that reads it. */
export type CompiledColumn = IntakeColumn & {
  /** The name of the value as the file has it. */
  readonly raw: string
  /** The name of the value as it is stored. */
  readonly stored: string
  /** The value as it is stored; null if it cannot be stored. */
  readonly value: string
  /** True if the row has a value. */
  readonly isGiven: string
  /** A row gets at most one fault of them, the first that applies. */
  readonly checks: readonly Check[]
}

/**
 * Compiles a column. Text must match a pattern before it is cast, because DuckDB's casts accept " 5", "1e3", "0x10" and
 * times of day. Missing text is empty, missing numbers are zero.
 */
export function compileColumn(column: IntakeColumn, format: FileFormat): CompiledColumn {
  const raw = `raw_${column.column}`
  const stored = `value_${column.column}`
  const text = `coalesce(${raw}::VARCHAR, '')`
  const check = (isWrong: string, reason: string, value = text): Check => ({
    field: column.nameInFile,
    isWrong,
    value: `left(${value}, 61)`,
    reason,
  })
  const compiled = (value: string, ...checks: readonly Check[]): CompiledColumn => ({
    ...column,
    raw,
    stored,
    value,
    isGiven: column.type === 'text' ? `${text} <> ''` : `${raw} IS NOT NULL`,
    checks: format === 'ndjson' ? [compileJsonCheck(column, raw, check), ...checks] : checks,
  })
  switch (column.kind) {
    case 'account':
      return compiled(text, check(`${text} = ''`, quoteText('is missing')))
    case 'day':
      return compiled(
        `CASE WHEN ${matches(text, dayPattern)} THEN TRY_CAST(left(${text}, 10) AS DATE) END`,
        check(
          `${stored} IS NULL`,
          `CASE WHEN ${text} = '' THEN 'is missing' ELSE 'is not a day in the form yyyy-MM-DD' END`,
        ),
        check(`coalesce(${stored} > $today::DATE, false)`, quoteText('is in the future')),
        check(`coalesce(${stored} < $oldest::DATE, false)`, quoteText('is older than 13 months')),
      )
    case 'text':
      return compiled(
        text,
        check(`strlen(${text}) > ${textBytesMax}`, quoteText(`is longer than ${textBytesMax} bytes`)),
      )
    case 'count': {
      const isText = column.type === 'text'
      const isWhole = isText ? matches(text, `-?${countPattern}`) : `${raw} = trunc(${raw})`
      const isNegative = isText ? `starts_with(${text}, '-')` : `${raw} < 0`
      const reason = `CASE WHEN NOT coalesce(${isWhole}, false) THEN 'is not a whole number' WHEN ${isNegative} THEN 'is negative' ELSE 'is too large' END`
      return compiled(
        compileCount(column, raw, text),
        check(`coalesce(${stored} NOT BETWEEN 0 AND ${countMax}, true)`, reason),
      )
    }
    case 'money': {
      const reason = `CASE WHEN ${matches(text, amountPattern)} THEN 'is too large' ELSE 'is not an amount' END`
      return compiled(
        compileAmount(column, raw, text, format),
        check(`coalesce(abs(${stored}) >= ${amountMax}, true)`, reason),
      )
    }
    case 'device':
      return compiled(hashesOf(`[${text}]`))
    case 'devices':
      return compiled(
        hashesOf(column.type === 'list' ? `coalesce(${raw}::VARCHAR[], [])` : `string_split(${text}, ';')`),
      )
  }
}

const matches = (text: string, pattern: string): string => `regexp_full_match(${text}, ${quoteText(pattern)})`

/** Finds JSON lists and objects where a plain value is expected, and the reverse. */
function compileJsonCheck(
  { nameInFile, kind }: IntakeColumn,
  raw: string,
  check: (isWrong: string, reason: string, value: string) => Check,
): Check {
  const path = quoteText(`$."${nameInFile}"`)
  const type = `json_type(json, ${path})`
  const [isWrong, reason] =
    kind === 'devices'
      ? [`coalesce(${type} NOT IN ('ARRAY', 'NULL'), false)`, 'is not a list']
      : [
          `CASE WHEN starts_with(${raw}, '[') OR starts_with(${raw}, '{') THEN ${type} IN ('ARRAY', 'OBJECT') ELSE false END`,
          'is nested; expected a plain value',
        ]
  return check(isWrong, quoteText(reason), `json_extract_string(json, ${path})`)
}

function compileCount({ type }: IntakeColumn, raw: string, text: string): string {
  if (type === 'whole') return `TRY_CAST(coalesce(${raw}, 0) AS BIGINT)`
  if (type === 'text') {
    return `CASE WHEN ${text} = '' THEN 0 WHEN ${matches(text, countPattern)} THEN TRY_CAST(split_part(${text}, '.', 1) AS BIGINT) END`
  }
  return `CASE WHEN ${raw} IS NULL THEN 0 WHEN ${raw} = trunc(${raw}) THEN TRY_CAST(${raw} AS BIGINT) END`
}

/** Wider than the stored type, so that an amount that is too large is a fault and not an error. */
const amountType = `DECIMAL(38, ${amountPlaces})`

function compileAmount({ type, nameInFile }: IntakeColumn, raw: string, text: string, format: FileFormat): string {
  if (type === 'whole' || type === 'decimal') return `TRY_CAST(coalesce(${raw}, 0) AS ${amountType})`
  const digits = format === 'ndjson' ? exactDigits(nameInFile, text) : text
  return `CASE WHEN ${text} = '' THEN 0 WHEN ${matches(text, amountPattern)} THEN TRY_CAST(${digits} AS ${amountType}) END`
}

/**
 * DuckDB reads JSON numbers as floating-point numbers, which from 1e9 on cannot hold six decimals. The digits of these
 * are taken from the line itself. A match inside a JSON string is impossible: quotes have backslashes before them there.
 */
const exactDigits = (name: string, text: string): string => {
  const pattern = `"${name}"\\s*:\\s*"?(-?[0-9.]+(?:[eE][+-]?[0-9]+)?)`
  return `CASE WHEN abs(TRY_CAST(${text} AS DOUBLE)) >= 1e9 THEN regexp_extract(json::VARCHAR, ${quoteText(pattern)}, 1) ELSE ${text} END`
}

/** Only hashes of devices are stored. MD5 never changes; DuckDB's own hash may differ between versions. */
const hashesOf = (list: string): string =>
  `list_transform(list_filter(${list}, lambda each: each <> ''), lambda each: md5_number_lower(each))`
