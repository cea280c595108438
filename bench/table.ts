/** Results of a part: ratios, and the tables behind them. `plot` names columns of the first table to draw. */
export type Outcome = {
  readonly figures: readonly Figure[]
  readonly tables: readonly Table[]
  readonly plot: { readonly title: string; readonly unit: Unit; readonly columns: readonly string[] }
}

type Unit = 'ms' | 's' | 'MB' | '/s' | 'times' | ''

/** A measured figure and its target. */
export type Figure = {
  readonly name: string
  readonly value: number
  readonly unit: Unit
  readonly target?: string
  readonly isMet?: boolean
}

export const atMost = (name: string, value: number, max: number, unit: Unit): Figure => {
  return { name, value, unit, target: `at most ${show(max, unit)}`, isMet: value <= max }
}

export const atLeast = (name: string, value: number, min: number, unit: Unit): Figure => {
  return { name, value, unit, target: `at least ${show(min, unit)}`, isMet: value >= min }
}

/** Rows by their names, which are in the first cell. */
export type Table = {
  readonly title: string
  readonly head: readonly string[]
  readonly rows: readonly (readonly (string | number)[])[]
}

export function printFigures(title: string, figures: readonly Figure[]): void {
  const rows = figures.map(({ name, value, unit, target = '', isMet }) => {
    return [name, show(value, unit), target, isMet === undefined ? '' : isMet ? 'met' : 'MISSED']
  })
  printTable({ title, head: ['figure', 'value', 'target', ''], rows })
}

export function printTable({ title, head, rows }: Table): void {
  const texts = [head, ...rows].map((row) => row.map((cell) => (typeof cell === 'number' ? show(cell) : cell)))
  const widths = head.map((_, column) => Math.max(...texts.map((row) => row[column]?.length ?? 0)))
  const [first, ...others] = texts.map((row) => row.map((cell, column) => cell.padEnd(widths[column]!)).join('  '))
  const lines = [title, '', first, widths.map((width) => '-'.repeat(width)).join('  '), ...others]
  process.stdout.write(`\n${lines.map((line) => line?.trimEnd()).join('\n')}\n\n`)
}

/** Formats a number with three significant digits, or as a dash if it was not measured. */
export function show(value: number, unit: Unit = ''): string {
  if (!Number.isFinite(value)) return '–'
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2
  return `${value.toLocaleString('en-US', { maximumFractionDigits: digits })} ${unit}`.trimEnd()
}
