import { quoteText } from '../facts/duckdb/open-duckdb.ts'
import { amountMax, amountPattern, countMax, countPattern } from './number-forms.ts'
import type { IntakeColumn } from './match-columns.ts'
import type { FileFormat } from './source.ts'

/** What a value of a file has to be, and what to say of one that is not. The value itself is quoted before the reason. */
export type Check = {
  readonly field: string
  readonly isWrong: string
  readonly value: string
  readonly reason: string
}

export type CompiledColumn = {
  readonly column: IntakeColumn
  /** As it is stored; null where the value cannot be. */
  readonly value: string
  /** Whether the row says anything about it. */
  readonly isGiven: string
  readonly checks: readonly Check[]
}

/** The names of a column's value as it is in the file, and as it is to be stored. */
export const rawOf = ({ column }: IntakeColumn): string => `raw_${column}`
export const valueOf = ({ column }: IntakeColumn): string => `value_${column}`

const textBytesMax = 1_000
const dayPattern = '[0-9]{4}-[0-9]{2}-[0-9]{2}([ T]00:00:00(\\.0+)?(Z|\\+00(:00)?)?)?'

/**
 * Compiles what is made of a column: text is held against a pattern before it is cast, because the engine's casts let
 * " 5", "1e3", "0x10" and times of day through. Missing text is empty, missing numbers are zero.
 */
export function compileColumn(column: IntakeColumn, format: FileFormat): CompiledColumn {
  const raw = rawOf(column)
  const text = `coalesce(${raw}::VARCHAR, '')`
  const check = (isWrong: string, reason: string, value = text): Check => ({
    field: column.nameInFile,
    isWrong,
    value: `left(${value}, 61)`,
    reason,
  })
  const value = valueOf(column)
  const compiled = (expression: string, checks: readonly Check[]): CompiledColumn => ({
    column,
    value: expression,
    isGiven: column.type === 'text' ? `${text} <> ''` : `${raw} IS NOT NULL`,
    checks: format === 'ndjson' ? [...compileJsonChecks(column, raw, check), ...checks] : checks,
  })
  switch (column.kind) {
    case 'account':
      return compiled(text, [check(`${text} = ''`, quoteText('is missing'))])
    case 'day': {
      const day = `CASE WHEN regexp_full_match(${text}, ${quoteText(dayPattern)}) THEN TRY_CAST(left(${text}, 10) AS DATE) END`
      return compiled(day, [
        check(
          `${value} IS NULL`,
          `CASE WHEN ${text} = '' THEN 'is missing' ELSE 'is not a day in the form yyyy-MM-DD' END`,
        ),
        check(`coalesce(${value} > $today::DATE, false)`, quoteText('is in the future')),
        check(`coalesce(${value} < $oldest::DATE, false)`, quoteText('is older than 13 months')),
      ])
    }
    case 'text':
      return compiled(text, [
        check(`strlen(${text}) > ${textBytesMax}`, quoteText(`is longer than ${textBytesMax} bytes`)),
      ])
    case 'count': {
      const isText = column.type === 'text'
      const isWhole = isText
        ? `regexp_full_match(${text}, ${quoteText(`-?${countPattern}`)})`
        : `${raw} = trunc(${raw})`
      const isNegative = isText ? `starts_with(${text}, '-')` : `${raw} < 0`
      const reason = `CASE WHEN NOT coalesce(${isWhole}, false) THEN 'is not a whole number' WHEN ${isNegative} THEN 'is negative' ELSE 'is too large' END`
      return compiled(compileCount(column, raw, text), [
        check(`coalesce(${value} NOT BETWEEN 0 AND ${countMax}, true)`, reason),
      ])
    }
    case 'money': {
      const isNumber = `regexp_full_match(${text}, ${quoteText(amountPattern)})`
      return compiled(compileAmount(column, raw, text, format), [
        check(
          `coalesce(abs(${value}) >= ${amountMax}, true)`,
          `CASE WHEN ${isNumber} THEN 'is too large' ELSE 'is not an amount' END`,
        ),
      ])
    }
    case 'device':
      return compiled(hashesOf(`[${text}]`), [])
    case 'devices': {
      const list = column.type === 'list' ? `coalesce(${raw}::VARCHAR[], [])` : `string_split(${text}, ';')`
      return compiled(hashesOf(list), [])
    }
  }
}

/** Values of JSON have types of their own, and text that was made of a list or an object is not what was meant. */
function compileJsonChecks(
  { nameInFile, kind }: IntakeColumn,
  raw: string,
  check: (isWrong: string, reason: string, value?: string) => Check,
): Check[] {
  const type = `json_type(json, ${quoteText(`$."${nameInFile}"`)})`
  const value = `json_extract_string(json, ${quoteText(`$."${nameInFile}"`)})`
  if (kind === 'devices') {
    return [check(`coalesce(${type} NOT IN ('ARRAY', 'NULL'), false)`, quoteText('is not a list'), value)]
  }
  return [
    check(
      `CASE WHEN starts_with(${raw}, '[') OR starts_with(${raw}, '{') THEN ${type} IN ('ARRAY', 'OBJECT') ELSE false END`,
      quoteText('is nested; expected a plain value'),
      value,
    ),
  ]
}

function compileCount({ type }: IntakeColumn, raw: string, text: string): string {
  if (type === 'whole') return `TRY_CAST(coalesce(${raw}, 0) AS BIGINT)`
  if (type === 'text') {
    return `CASE WHEN ${text} = '' THEN 0 WHEN regexp_full_match(${text}, ${quoteText(countPattern)}) THEN TRY_CAST(split_part(${text}, '.', 1) AS BIGINT) END`
  }
  return `CASE WHEN ${raw} IS NULL THEN 0 WHEN ${raw} = trunc(${raw}) THEN TRY_CAST(${raw} AS BIGINT) END`
}

/** Wider than what is stored, so that what is too large is a fault and not an error. */
const amountType = 'DECIMAL(38, 6)'

function compileAmount({ type, nameInFile }: IntakeColumn, raw: string, text: string, format: FileFormat): string {
  if (type === 'whole' || type === 'decimal') return `TRY_CAST(coalesce(${raw}, 0) AS ${amountType})`
  const digits = format === 'ndjson' ? exactDigits(nameInFile, text) : text
  return `CASE WHEN ${text} = '' THEN 0 WHEN regexp_full_match(${text}, ${quoteText(amountPattern)}) THEN TRY_CAST(${digits} AS ${amountType}) END`
}

/**
 * The engine reads numbers of JSON as floating ones. From a thousand millions on these cannot hold six decimals, so the
 * digits are taken from the line itself; within a JSON string the quotes of a name would have backslashes before them.
 */
const exactDigits = (name: string, text: string): string => {
  const pattern = `"${name}"\\s*:\\s*"?(-?[0-9.]+(?:[eE][+-]?[0-9]+)?)`
  return `CASE WHEN abs(TRY_CAST(${text} AS DOUBLE)) >= 1e9 THEN regexp_extract(json::VARCHAR, ${quoteText(pattern)}, 1) ELSE ${text} END`
}

/** Only hashes of devices are kept. MD5 is the same in every version of the engine, which its own hash need not be. */
const hashesOf = (list: string): string =>
  `list_transform(list_filter(${list}, lambda each: each <> ''), lambda each: md5_number_lower(each))`
