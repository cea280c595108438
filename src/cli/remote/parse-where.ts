import { InvalidArgumentError } from '@commander-js/extra-typings'
import { CsvRows } from '../../client/parse-csv.ts'

export type Condition =
  | { readonly field: string; readonly operator: '=' | 'like'; readonly value: string }
  | { readonly field: string; readonly operator: 'in' | 'not in'; readonly values: readonly string[] }

/** The first operator counts. The rest is its value, even if it contains words such as `in`. */
const form = /^(.+?)(?:\s*(=)\s*|\s+(like|in|not\s+in)\s+)(.*)$/is

/** Reads a condition: `F=V`, `F like P`, `F in A,B` or `F not in A,B`, with words in any case. */
export function parseWhere(text: string): Condition {
  const [, field = '', sign, words = '', rest = ''] = form.exec(text.trim()) ?? []
  if (field === '') {
    throw new InvalidArgumentError("Write FIELD=VALUE, 'FIELD like PATTERN%', 'FIELD in A,B' or 'FIELD not in A,B'.")
  }
  const operator = (sign ?? words).toLowerCase().replace(/\s+/, ' ') as Condition['operator']
  return operator === '=' || operator === 'like'
    ? { field, operator, value: rest }
    : { field, operator, values: parseList(rest) }
}

/** As in CSV, a value in double quotes can contain commas. */
function parseList(text: string): readonly string[] {
  const [values] = new CsvRows().add(`${text}\n`)
  if (!values) throw new InvalidArgumentError('A double quote is not closed.')
  return values.map((value) => value.trim())
}

/** Commander passes the conditions so far, because the option can be repeated. */
export const conditions = (text: string, before: readonly Condition[] = []): readonly Condition[] => [
  ...before,
  parseWhere(text),
]
