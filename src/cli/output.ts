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

type TableOptions<Row> = {
  /** Printed if there are no rows. */
  readonly none: string
  /** If omitted, all. */
  readonly columns?: readonly (string & keyof Row)[]
  /** The column that is shortened on a terminal that is too narrow. */
  readonly cut?: string
  /** Data for scripts, if it is more than the rows. */
  readonly data?: unknown
}

/** Writes rows to stdout: a table, or JSON for scripts. */
export async function printTable<Row extends Readonly<Record<string, unknown>>>(
  flags: OutputFlags,
  rows: readonly Row[],
  { none, columns: names = Object.keys(rows[0] ?? {}), cut, data = rows }: TableOptions<Row>,
): Promise<void> {
  if (rows.length === 0) return print(flags, data, `${none}\n`)
  // Imported only now: measuring text takes long to load.
  const { drawTable } = await import('./draw-table.ts')
  const columns = names.map((name): Column => ({
    name: name.toUpperCase().replaceAll('_', ' '),
    isNumber: rows.some((row) => typeof row[name] === 'number'),
    ...(name === cut && { overflow: 'cut' }),
  }))
  const cells = rows.map((row) => names.map((name) => String(row[name] ?? '-')))
  print(flags, data, drawTable(columns, cells, cut === undefined ? {} : { width: process.stdout.columns }))
}
