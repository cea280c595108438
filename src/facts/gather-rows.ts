export type GatheredRows = {
  /** JSON objects, with commas between them, in which counts and money keep every digit. */
  readonly text: string
  readonly count: number
  /** Whether the limit cut any off. */
  readonly isTruncated: boolean
}

/** Makes an answer of the rows that an engine found for a query: one more than its limit tells that there are more. */
export function gatherRows(found: readonly string[], limit: number): GatheredRows {
  const rows = found.slice(0, limit)
  return { text: rows.join(','), count: rows.length, isTruncated: found.length > limit }
}
