import { asynchronousLimits, type QueryBounds } from '../../../src/catalog/limits.ts'
import type { Day } from '../../../src/query/day.ts'
import type { Fault } from '../../../src/query/faults.ts'
import { parseQuery } from '../../../src/query/parse.ts'
import { toBody, type QueryDraft } from './draft.ts'

/** Every fault of the query, found by the server's own check. */
export function checkDraft(draft: QueryDraft, bounds: QueryBounds, today: Day): readonly Fault[] {
  const parsed = parseQuery(toBody(draft, today), { cube: draft.cube, limits: bounds, today })
  return 'faults' in parsed ? parsed.faults : []
}

/** True if the query can run as a report. */
export const fitsReport = (draft: QueryDraft, today: Day): boolean =>
  checkDraft(draft, asynchronousLimits, today).length === 0

/** The faults of one part of the query, such as `dimensions` or `filters/2`, as one text. */
export function faultAt(faults: readonly Fault[], ...places: readonly string[]): string | undefined {
  const found = faults.filter(({ pointer }) =>
    places.some((place) => pointer === `#/${place}` || pointer.startsWith(`#/${place}/`)),
  )
  return found.length === 0 ? undefined : [...new Set(found.map(({ detail }) => detail))].join(' ')
}
