import { isDay, type Day } from '../../../src/query/day.ts'
import { actionWords } from './audit-words.ts'

/** What of the audit trail is wanted. It stands in the address under the same names. */
export type AuditFilter = {
  readonly actor?: string
  readonly action?: string
  readonly from?: Day
  readonly to?: Day
}

/** What makes no sense is left out: addresses are typed and cut short, too. */
export function readAuditFilter(search: URLSearchParams): AuditFilter {
  const actor = search.get('actor')?.trim().toLowerCase() ?? ''
  const action = search.get('action') ?? ''
  const from = search.get('from') ?? ''
  const to = search.get('to') ?? ''
  return {
    ...(actor !== '' && { actor }),
    ...(Object.hasOwn(actionWords, action) && { action }),
    ...(isDay(from) && { from }),
    ...(isDay(to) && { to }),
  }
}
