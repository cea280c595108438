/** A measured figure and what is wanted of it. A missed target is information, not an error. */
export type Figure = {
  readonly name: string
  readonly value: string
  readonly target?: string
  readonly isMet?: boolean
}

/** A figure with an upper bound. */
export const atMost = (name: string, value: number, max: number, show: (value: number) => string): Figure => ({
  name,
  value: show(value),
  target: `at most ${show(max)}`,
  isMet: value <= max,
})

export function printFigures(title: string, figures: readonly Figure[]): void {
  const rows = figures.map(({ name, value, target = '', isMet }) => [name, value, target, verdict(isMet)])
  printTable(title, ['figure', 'value', 'target', ''], rows)
}

export const verdict = (isMet: boolean | undefined): string => (isMet === undefined ? '' : isMet ? 'met' : 'MISSED')

export function printTable(title: string, head: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = head.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]): string =>
    cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')
  const lines = [head, widths.map((width) => '-'.repeat(width)), ...rows].map((cells) => line(cells).trimEnd())
  process.stdout.write(`\n${title}\n\n${lines.join('\n')}\n\n`)
}

export const inMs = (ms: number): string => `${ms.toFixed(ms < 100 ? 1 : 0)} ms`
export const inSeconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`
export const inMb = (mb: number): string => `${Math.round(mb)} MB`
export const asRatio = (ratio: number): string => `${ratio.toFixed(2)} times`
export const showCount = (value: number): string => value.toLocaleString('en-US')
