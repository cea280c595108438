import type { Row } from '../api/query.ts'

type Table = {
  readonly dimensions: readonly string[]
  readonly metrics: readonly string[]
  readonly rows: readonly Row[]
  /** The matching row of the previous period for each row, when periods are compared. */
  readonly previous: readonly (Row | undefined)[] | undefined
}

/** The table as CSV (RFC 4180), with values as the server sent them. A missing value is an empty field. */
export function toCsv({ dimensions, metrics, rows, previous }: Table): string {
  const fields = [...dimensions, ...metrics]
  const lines = [
    [...fields, ...(previous ? metrics.map((name) => `${name}, previous period`) : [])],
    ...rows.map((row, index) => [
      ...fields.map((name) => row[name]),
      ...(previous ? metrics.map((name) => previous[index]?.[name]) : []),
    ]),
  ]
  return lines.map((line) => `${line.map(toField).join(',')}\r\n`).join('')
}

function toField(value: string | number | null | undefined): string {
  const text = String(value ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
