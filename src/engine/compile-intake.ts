import { accountIdPattern } from '../catalog/account-id.ts'
import type { Cube } from '../catalog/cube.ts'
import type { FileColumn } from '../catalog/file-columns.ts'
import { sketch, sketchPrecision } from '../catalog/sketch.ts'
import type { Statement } from '../query/compile.ts'
import type { Day } from '../query/day.ts'

export type FileFormat = 'Parquet' | 'CSVWithNames' | 'JSONEachRow'

/** Numbers that a file itself vouches for: each of them one, and none missing. */
export type NumberInFile = 'signed' | 'unsigned' | 'decimal'

/** A column of a file, under the name that the file has for it. */
export type IntakeColumn = FileColumn & {
  readonly nameInFile: string
  readonly isList: boolean
  /** Undefined where it is read as text. */
  readonly number?: NumberInFile | undefined
}

/** What rows must keep to. */
export type IntakeRules = {
  readonly today: Day
  readonly oldest: Day
  /** The accounts that there are; undefined where any account that could be made will do. */
  readonly accounts: readonly string[] | undefined
  /** Relations that cannot be are faults, and not only warnings. */
  readonly isStrict: boolean
}

type From = 'stream' | { readonly address: string; readonly format: FileFormat }

const textBytesMax = 1_000
const countMax = '10000000000000000'
const moneyMax = '1000000000000'
/** As many places as a stored amount has; more are rounded. */
const moneyScale = 6
/** What decimals of a file are read into: one with more digits, on either side of the point, does not fit. */
export const decimalInFile = { precision: 38, scale: moneyScale } as const

/**
 * The statement that takes a file in. Values are read as text, because the engine's own readers let through too much in
 * silence: 2026-13-45, numbers too large, an empty number. Text is turned into what is stored here, alike for every
 * format, and what cannot be is a fault. Only numbers that cannot be read in two ways are read as what they are. In
 * `raw` are the columns of the file, in `typed` what is made of them.
 */
export function compileIntake(cube: Cube, columns: readonly IntakeColumn[], rules: IntakeRules, from: From): Statement {
  const inFile = new Map(columns.map((column) => [column.column, column]))
  const facts = [
    'account',
    ...cube.dimensions.map(({ column }) => column),
    ...cube.measures.map(({ column }) => column),
  ]
  const measures = new Map(cube.measures.map(({ column, type }) => [column, type]))
  const checks = columns.flatMap((column) => compileChecks(column, rules))
  const relations = cube.funnels
    .flatMap((steps) => steps.slice(1).map((larger, index) => [steps[index] ?? '', larger] as const))
    .filter(([smaller, larger]) => inFile.has(smaller) && inFile.has(larger))
    .map(([smaller, larger]) => ({
      // Only what a row says can be judged: where the larger is left out, nothing is impossible.
      condition: `typed_${smaller} > typed_${larger}${inFile.get(larger)?.number ? '' : ` AND raw_${larger} != ''`}`,
      field: smaller,
      reason: `concat(toString(typed_${smaller}), ' is more than ${larger}, ', toString(typed_${larger}))`,
    }))
  const faults = rules.isStrict ? [...checks, ...relations] : checks
  const warnings = rules.isStrict ? [] : relations

  const stored = facts.map((column) => {
    if (!inFile.has(column)) return `${measures.has(column) ? '0' : "''"} AS ${column}`
    // One that is too large for the table would be an error and no fault.
    if (measures.get(column) === 'money') {
      return `if(ifNull(abs(typed_${column}) < ${moneyMax}, 0), assumeNotNull(typed_${column}), 0) AS ${column}`
    }
    return `ifNull(typed_${column}, ${measures.has(column) ? '0' : column === 'day' ? "toDate('1970-01-01')" : "''"}) AS ${column}`
  })
  const typed = columns.filter(({ kind }) => kind !== 'device' && kind !== 'devices').map(compileTyped)
  const structure = columns.map((column) => `${quoteName(column.nameInFile)} ${typeInFile(column)}`)
  const raw = columns.map(({ nameInFile, column }) => `${quoteName(nameInFile)} AS raw_${column}`)
  const sql = [
    `INSERT INTO ${intakeOf(cube)} (load, file, row, faults, warnings, ${facts.join(', ')}, devices)`,
    'SELECT {load:UInt64}, {file:UInt32}, row,',
    `  ${compileFound(faults)} AS faults,`,
    `  ${compileFound(warnings)} AS warnings,`,
    `  ${[...stored, `${compileDevices(columns)} AS devices`].join(',\n  ')}`,
    `FROM (SELECT *, ${typed.join(',\n  ')}`,
    `FROM (SELECT rowNumberInAllBlocks() + 1 AS row, ${raw.join(', ')}`,
    `FROM ${compileFrom(from, structure.join(', '))}))`,
  ].join('\n')
  return {
    sql,
    params: {
      today: rules.today,
      oldest: rules.oldest,
      accounts: rules.accounts ?? [],
      ...(from !== 'stream' && { address: from.address, format: from.format, structure: structure.join(', ') }),
    },
  }
}

const intakeOf = ({ table }: Cube): string => table.replace(/_facts$/, '_intake')

/** The engine's function for an address. */
export const tableFunctionOf = (address: string): string => (/^s3:/i.test(address) ? 's3' : 'url')

/** What is null or missing is read as empty. Text has few different values: each is then checked once a block. */
function typeInFile({ kind, isList, number }: IntakeColumn): string {
  if (isList) return 'Array(Nullable(String))'
  if (number)
    return {
      signed: 'Int64',
      unsigned: 'UInt64',
      decimal: `Decimal(${decimalInFile.precision}, ${decimalInFile.scale})`,
    }[number]
  return kind === 'text' || kind === 'account' ? 'LowCardinality(String)' : 'String'
}

const compileFrom = (from: From, structure: string): string =>
  from === 'stream'
    ? `input(${quoteText(structure)})`
    : `${tableFunctionOf(from.address)}({address:String}, {format:String}, {structure:String})`

/** A column as it is to be stored, null where it cannot be. Empty is what is missing: empty text, or zero. */
function compileTyped({ column, kind, number }: IntakeColumn): string {
  const text = `raw_${column}`
  if (number) return `${number === 'signed' ? `toUInt64(greatest(${text}, 0))` : text} AS typed_${column}`
  switch (kind) {
    case 'day': {
      const date = `toDateOrNull(substring(${text}, 1, 10))`
      // The engine reads the 31st of November as the 1st of December; a day with a time must be its midnight.
      const isDay = `toString(${date}) = substring(${text}, 1, 10) AND (length(${text}) = 10 OR match(${text}, '^.{10}[ T]00:00:00([.]0+)?Z?$'))`
      return `if(ifNull(${isDay}, 0), ${date}, NULL) AS typed_${column}`
    }
    case 'count':
      // A whole number that went through a floating one has a zero behind the point.
      return `if(${text} = '', 0, toUInt64OrNull(if(endsWith(${text}, '.0'), substring(${text}, 1, length(${text}) - 2), ${text}))) AS typed_${column}`
    case 'money':
      return `if(${text} = '', 0, round(toDecimal128OrNull(${text}, 20), ${moneyScale})) AS typed_${column}`
    default:
      return `${text} AS typed_${column}`
  }
}

type Check = { readonly condition: string; readonly field: string; readonly reason: string }

function compileChecks({ column, kind, nameInFile, number }: IntakeColumn, { accounts }: IntakeRules): Check[] {
  const text = number ? `toString(raw_${column})` : `raw_${column}`
  const typed = `typed_${column}`
  const shown = `concat('"', substringUTF8(toValidUTF8(${text}), 1, 60), '"')`
  const check = (condition: string, reason: string): Check => ({ condition, field: nameInFile, reason })
  const is = (words: string): string => `concat(${shown}, ' ${words}')`
  switch (kind) {
    case 'account':
      return [
        check(
          accounts ? `${typed} NOT IN {accounts:Array(String)}` : `NOT match(${typed}, '${accountIdPattern}')`,
          `if(${typed} = '', 'is missing', ${is(accounts ? 'is no account here' : 'cannot be the id of an account')})`,
        ),
      ]
    case 'day':
      return [
        check(`isNull(${typed})`, `if(${text} = '', 'is missing', ${is('is not a day in the form yyyy-MM-DD')})`),
        check(`${typed} > {today:Date}`, is('is in the future')),
        check(`${typed} < {oldest:Date}`, is('is older than 13 months')),
      ]
    case 'text':
      return [
        check(
          `NOT isValidUTF8(${typed}) OR length(${typed}) > ${textBytesMax}`,
          `if(isValidUTF8(${typed}), 'is longer than ${textBytesMax} bytes', 'is not valid UTF-8')`,
        ),
      ]
    case 'count':
      return [
        check(
          number ? `raw_${column} < 0 OR raw_${column} > ${countMax}` : `isNull(${typed}) OR ${typed} > ${countMax}`,
          `multiIf(match(${text}, '^-[0-9.]+$'), ${is('is negative')}, match(${text}, '^[0-9]+$'), ${is('is too large')}, ${is('is not a whole number')})`,
        ),
      ]
    case 'money':
      return [
        check(
          `isNull(${typed}) OR abs(${typed}) >= ${moneyMax}`,
          `if(isNull(${typed}), ${is('is not an amount')}, ${is('is too large')})`,
        ),
      ]
    case 'device':
    case 'devices':
      return []
  }
}

/** All that was found in a row. Nearly always that is nothing, and then nothing but the conditions is worked out. */
function compileFound(checks: readonly Check[]): string {
  const none = "CAST([], 'Array(Tuple(String, String))')"
  if (checks.length === 0) return none
  const any = checks.map(({ condition }) => `(${condition})`).join(' OR ')
  const each = checks.map(
    ({ condition, field, reason }) => `if(ifNull(${condition}, 0), [(${quoteText(field)}, ifNull(${reason}, ''))], [])`,
  )
  return `if(ifNull(${any}, 1), arrayConcat(${none}, ${each.join(',\n    ')}), ${none})`
}

/** Only hashes of devices are kept, and only inside the sketch. */
function compileDevices(columns: readonly IntakeColumn[]): string {
  const column = columns.find(({ kind }) => kind === 'device' || kind === 'devices')
  const list = !column
    ? 'emptyArrayString()'
    : column.isList
      ? `arrayMap(each -> ifNull(each, ''), raw_${column.column})`
      : column.kind === 'device'
        ? `[raw_${column.column}]`
        : `splitByChar(';', raw_${column.column})`
  const hashes = `arrayMap(each -> cityHash64(each), arrayFilter(each -> each != '', ${list}))`
  return `arrayReduce('${sketch}State(${sketchPrecision})', ${hashes})`
}

const quoteText = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
const quoteName = (name: string): string => `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``
