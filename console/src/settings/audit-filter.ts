import { isDay, type Day } from '../../../src/query/day.ts'
import { actionWords } from './audit-words.ts'

/** Filter of the audit trail, with the names of the address's parameters. */
export type AuditFilter = {
  readonly actor?: string
  readonly action?: string
  readonly from?: Day
  readonly to?: Day
}

/** Ignores invalid values, because addresses may be typed or cut off. */
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
