import type { Cube } from '../../catalog/cube.ts'
import type { Query } from '../../client/index.ts'
import type { QueryAnswer } from '../../contract/answers.ts'

export const fileFormats = ['json', 'ndjson', 'csv', 'parquet'] as const

/** Writes rows for other programs. */
export async function writeRows(
  format: (typeof fileFormats)[number],
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
