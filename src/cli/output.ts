import type { Flags } from './command.ts'

/** Data on stdout: JSON for scripts, whatever a person reads better otherwise. */
export function print({ json }: Flags, data: unknown, text: string): void {
  process.stdout.write(json === true ? `${JSON.stringify(data)}\n` : text)
}

/** Words on stderr, where no script reads them. */
export function tell({ json }: Flags, text: string): void {
  if (json !== true) process.stderr.write(`${text}\n`)
}

type Cell = string | number | null

/** Rows below their headings; `none` where there are no rows. */
export function table(rows: readonly Readonly<Record<string, Cell>>[], none: string): string {
  const [first] = rows
  if (!first) return `${none}\n`
  const names = Object.keys(first)
  const lines = [
    names.map((name) => name.toUpperCase().replaceAll('_', ' ')),
    ...rows.map((row) => Object.values(row).map(show)),
  ]
  const widths = names.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  return lines
    .map(
      (line) =>
        `${line
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('')
}

const show = (value: Cell): string => (value === null ? '-' : String(value))
