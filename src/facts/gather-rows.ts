import type { Rows } from './facts.ts'

/** Makes an answer of the rows that an engine found for a query: one more than its limit tells that there are more. */
export function gatherRows(found: readonly string[], limit: number): Rows {
  const rows = found.slice(0, limit)
  return { text: rows.join(','), count: rows.length, isTruncated: found.length > limit }
}
