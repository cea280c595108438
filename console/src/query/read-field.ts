import type { Row } from '../api/query.ts'

/** A metric of a row; null where there is none, such as a rate of nothing. */
export function readMetric(row: Row | undefined, name: string): number | null {
  const value = row?.[name]
  return typeof value === 'number' ? value : null
}

/** A dimension of a row; null where the facts have no value. */
export function readDimension(row: Row, name: string): string | null {
  const value = row[name]
  return typeof value === 'string' ? value : null
}
