import { InvalidArgumentError } from '@commander-js/extra-typings'

export type Condition =
  | { readonly field: string; readonly operator: '=' | 'like'; readonly value: string }
  | { readonly field: string; readonly operator: 'in' | 'not in'; readonly values: readonly string[] }

/**
 * The first operator counts. The rest is its value, even if it contains words such as `in`. Operators that do not exist
 * are read too: their signs would otherwise be taken for a part of the field or of the value.
 */
const form = /^(.+?)(?:\s*([=!]?~|={1,3}|!=+|<>|[<>]=?)\s*|\s+(like|in|not\s+(?:in|like|=))\s+)(.*)$/is

/** Reads a condition: `F=V`, `F like P`, `F in A,B` or `F not in A,B`, with words in any case. */
export function parseWhere(text: string): Condition {
  const [, field = '', sign, words = '', rest = ''] = form.exec(text.trim()) ?? []
  if (field === '') {
    throw new InvalidArgumentError("Write FIELD=VALUE, 'FIELD like PATTERN%', 'FIELD in A,B' or 'FIELD not in A,B'.")
  }
  const operator = (sign ?? words).toLowerCase().replace(/\s+/, ' ')
  switch (operator) {
    case '=':
    case 'like':
      return { field, operator, value: rest }
    case 'in':
    case 'not in':
      return { field, operator, values: parseList(rest) }
    default:
      throw new InvalidArgumentError(`"${operator}" is not an operator. ${instead(field, operator, rest)}`)
  }
}

/** Returns the right form of a condition whose operator does not exist. */
function instead(field: string, operator: string, value: string): string {
  const entry = /[",]|^\s|\s$/.test(value) ? `"${value.replaceAll('"', '""')}"` : value
  if (operator.startsWith('==')) {
    return `Write '${field}=${value}', or '${field} in =${entry}' for a value that begins with =.`
  }
  if (/^(?:!=+|<>|not =)$/.test(operator)) return `Write '${field} not in ${entry}'.`
  return 'The operators are =, like, in and not in.'
}

/** Reads values with commas between them. As in CSV, a value in double quotes can contain commas and outer spaces. */
function parseList(text: string): readonly string[] {
  const entry = /\s*(?:"((?:[^"]|"")*)"\s*|([^",][^,]*)?)(,|$)/y
  const values: string[] = []
  for (let comma: string | undefined = ','; comma === ',';) {
    const found = entry.exec(text)
    if (!found) throw new InvalidArgumentError('A double quote is not closed, or not followed by a comma.')
    const [, quoted, plain = ''] = found
    values.push(quoted?.replaceAll('""', '"') ?? plain.trim())
    comma = found[3]
  }
  return values
}

/** Commander passes the conditions so far, because the option can be repeated. */
export const conditions = (text: string, before: readonly Condition[] = []): readonly Condition[] => [
  ...before,
  parseWhere(text),
]
