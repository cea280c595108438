import type { Column } from './draw-table.ts'

export type OutputFlags = { readonly json?: boolean | undefined }

/** Writes data to stdout: JSON for scripts, or the text. */
export function print({ json }: OutputFlags, data: unknown, text: string): void {
  process.stdout.write(json === true ? `${JSON.stringify(data)}\n` : text)
}

/** Writes a message to stderr, unless a script asked for JSON. */
export function note({ json }: OutputFlags, text: string): void {
  if (json !== true) process.stderr.write(`${text}\n`)
}

export const formatCount = (count: number): string => count.toLocaleString('en-US')

/** Draws the named columns of rows, or `none` if there are no rows. On a terminal, `cut` is shortened to fit. */
export async function table<Row extends Readonly<Record<string, unknown>>>(
  rows: readonly Row[],
  none: string,
  names: readonly (string & keyof Row)[] = Object.keys(rows[0] ?? {}),
  cut?: string,
): Promise<string> {
  if (rows.length === 0) return `${none}\n`
  // Imported only now: measuring text takes long to load.
  const { drawTable } = await import('./draw-table.ts')
  const columns = names.map((name): Column => ({
    name: name.toUpperCase().replaceAll('_', ' '),
    isNumber: rows.some((row) => typeof row[name] === 'number'),
    ...(name === cut && { overflow: 'cut' }),
  }))
  const cells = rows.map((row) => names.map((name) => String(row[name] ?? '-')))
  return drawTable(columns, cells, cut === undefined ? {} : { width: process.stdout.columns })
}
