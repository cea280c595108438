import { drawTable, type Column } from './draw-table.ts'

type Flags = { readonly json?: boolean }

/** Data on stdout: JSON for scripts, whatever a person reads better otherwise. */
export function print({ json }: Flags, data: unknown, text: string): void {
  process.stdout.write(json === true ? `${JSON.stringify(data)}\n` : text)
}

/** Words on stderr, where no script reads them. */
export function tell({ json }: Flags, text: string): void {
  if (json !== true) process.stderr.write(`${text}\n`)
}

type Cell = string | number | null

/** Rows below their headings; `none` where there are no rows. On a terminal, the columns in `cut` yield to the others. */
export function table(
  rows: readonly Readonly<Record<string, Cell>>[],
  none: string,
  cut: readonly string[] = [],
): string {
  const [first] = rows
  if (!first) return `${none}\n`
  const columns = Object.keys(first).map((name): Column => ({
    name: name.toUpperCase().replaceAll('_', ' '),
    isNumber: rows.some((row) => typeof row[name] === 'number'),
    ...(cut.includes(name) && { overflow: 'cut' }),
  }))
  const cells = rows.map((row) => Object.values(row).map((cell) => (cell === null ? '-' : String(cell))))
  return drawTable(columns, cells, cut.length > 0 ? { width: process.stdout.columns } : {})
}
