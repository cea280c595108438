import type { Operator } from '../../../src/query/query.ts'
import type { FilterDraft } from './query-draft.ts'
import { noValue } from './no-value.ts'

export const operatorWords: Readonly<Record<Operator, string>> = {
  '=': 'is',
  in: 'is one of',
  'not in': 'is none of',
  like: 'is like',
}

/** "Country is one of US, CA", with the first values of a long list. */
export function describeFilter({ field, operator, values }: FilterDraft): string {
  const shown = values.slice(0, 5).map((value) => value || noValue)
  const more = values.length > shown.length ? ` and ${values.length - shown.length} more` : ''
  return `${field} ${operatorWords[operator]} ${shown.join(', ')}${more}`
}
