import { extname } from 'node:path'
import type { Cube } from '../../catalog/cube.ts'
import type { Query } from '../../client/index.ts'
import type { QueryAnswer } from '../../contract/answers.ts'
import { UsageError } from '../settings.ts'

export const fileFormats = ['json', 'ndjson', 'csv', 'parquet'] as const

type FileFormat = (typeof fileFormats)[number]

/** Returns the format that the ending of a file names, or another for a file without one. */
export function formatOfFile<Other>(file: string, other: Other): FileFormat | Other {
  const ending = extname(file).toLowerCase()
  const format = fileFormats.find((each) => ending === `.${each}`)
  if (format) return format
  if (ending === '') return other
  const known = fileFormats.map((each) => `.${each}`).join(', ')
  throw new UsageError(`-o: The ending ${JSON.stringify(ending)} is not one of ${known}. Choose one, or give --format.`)
}

/** Writes rows for other programs. */
export async function writeRows(
  format: FileFormat,
  cube: Cube,
  query: Query,
  rows: QueryAnswer['data'],
): Promise<string | Uint8Array> {
  switch (format) {
    case 'json':
      return `[${rows.map((row) => `\n  ${JSON.stringify(row)}`).join(',')}\n]\n`
    case 'ndjson':
      return rows.map((row) => `${JSON.stringify(row)}\n`).join('')
    case 'csv':
      return writeCsv([...query.dimensions, ...query.metrics], rows)
    case 'parquet': {
      const { writeParquet } = await import('./write-parquet.ts')
      return writeParquet(cube, query, rows)
    }
  }
}

/** RFC 4180, as in reports: a missing value is empty. */
const writeCsv = (names: readonly string[], rows: QueryAnswer['data']): string =>
  [names, ...rows.map((row) => names.map((name) => row[name] ?? null))]
    .map((line) => `${line.map(quote).join(',')}\r\n`)
    .join('')

function quote(value: string | number | null): string {
  const text = String(value ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
