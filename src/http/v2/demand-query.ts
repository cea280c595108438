import type { Cube } from '../../catalog/cube.ts'
import type { QueryBounds } from '../../catalog/limits.ts'
import { dayOf } from '../../query/day.ts'
import { parseQuery } from '../../query/parse.ts'
import type { Query } from '../../query/query.ts'
import { Problem } from '../../contract/problems.ts'

/** Five filters of a thousand ordinary values take a tenth of this. */
export const queryBytesMax = 1024 * 1024

/** The query in a body, or every fault it has as one problem. */
export function demandQuery(
  body: unknown,
  { cube, limits, now }: { readonly cube: Cube; readonly limits: QueryBounds; readonly now: number },
): Query {
  const parsed = parseQuery(body, { cube, limits, today: dayOf(now) })
  if (!('faults' in parsed)) return parsed.query
  const [first] = parsed.faults
  const more = parsed.faults.length > 1 ? ` And ${parsed.faults.length - 1} more, see errors.` : ''
  throw new Problem('invalid_query', `${first?.pointer}: ${first?.detail}${more}`, { errors: parsed.faults })
}
