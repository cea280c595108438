import type { Cube } from '../../../src/catalog/cube.ts'
import { consoleBounds } from '../../../src/catalog/limits.ts'
import { addDays, countDays, isDay, type Day } from '../../../src/query/day.ts'
import { parseQuery } from '../../../src/query/parse.ts'
import type { Row } from '../api/query.ts'
import type { DraftBody } from '../query/draft.ts'

/** The same query over the same number of days before; undefined if the console's bounds do not reach that far back. */
export function previousBody(body: DraftBody, cube: Cube, today: Day): DraftBody | undefined {
  const { start, end, filters, limit: _, ...rest } = body
  const days = countDays(start, end)
  // Without the limit, because the first rows of now may not have been among the first then.
  const previous: DraftBody = {
    ...rest,
    start: addDays(start, -days),
    end: addDays(start, -1),
    ...(filters && {
      filters: filters.map((filter) => (filter.field === 'Day' ? shiftFilter(filter, -days) : filter)),
    }),
  }
  return 'query' in parseQuery(previous, { cube, limits: consoleBounds, today }) ? previous : undefined
}

/** For each row, the row of the previous period with the same dimensions, with days shifted. */
export function findPrevious(
  rows: readonly Row[],
  previous: readonly Row[],
  dimensions: readonly string[],
  days: number,
): readonly (Row | undefined)[] {
  const keyOf = (row: Row, shift: number): string =>
    JSON.stringify(dimensions.map((name) => (name === 'Day' ? addDays(String(row[name]), shift) : row[name])))
  const found = new Map(previous.map((row) => [keyOf(row, days), row]))
  return rows.map((row) => found.get(keyOf(row, 0)))
}

type Filter = NonNullable<DraftBody['filters']>[number]

function shiftFilter(filter: Filter, days: number): Filter {
  const shift = (value: string): string => (isDay(value) ? addDays(value, days) : value)
  return {
    ...filter,
    ...(filter.value !== undefined && { value: shift(filter.value) }),
    ...(filter.values && { values: filter.values.map(shift) }),
  }
}
