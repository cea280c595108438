import { styleText } from 'node:util'
import stringWidth from 'string-width'

export type Column = {
  readonly name: string
  /** Numbers are aligned to the right. */
  readonly isNumber?: boolean
  /** If the table is too wide, text is cut or wrapped; if omitted, it stays as it is. */
  readonly overflow?: 'cut' | 'wrap'
}

type Screen = {
  /** The width of the terminal; unlimited if omitted. Some terminals report 0, which counts as 80. */
  readonly width?: number | undefined
  readonly hasColor?: boolean
  /** Draws a bar for each row if there is room. */
  readonly bars?: readonly (number | null)[]
}

const widthDefault = 80
const gap = 2
const textWidthMin = 5
const barWidthMin = 8
const barWidthMax = 24

/** Draws rows below headings. No line is wider than the screen. */
export function drawTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  { width: given = Infinity, hasColor = false, bars }: Screen = {},
): string {
  const width = given > 0 ? given : widthDefault
  const style = (format: 'bold' | 'cyan', text: string): string =>
    hasColor ? styleText(format, text, { validateStream: false }) : text
  const cells = rows.map((row) => row.map(printable))
  const widths = chooseWidths(columns, cells, width)
  const draw = (row: readonly (readonly string[])[]): string[] =>
    drawRow(columns, widths, row).map((line) => cut(line, width))
  const tableWidth = sumOf(widths) + gap * widths.length
  const barWidth = Math.min(width - tableWidth, barWidthMax)
  const drawBar = bars && barWidth >= barWidthMin ? barsOf(bars, barWidth) : () => ''
  const headings = columns.map(({ name }, column) => wrap(name, widths[column]!))
  const height = Math.max(...headings.map(({ length }) => length))
  // Headings are aligned to the bottom.
  const head = headings.map((lines) => [...Array.from({ length: height - lines.length }, () => ''), ...lines])
  const body = cells.flatMap((row, index) => {
    const [first = '', ...rest] = draw(row.map((cell, column) => fit(cell, columns[column]?.overflow, widths[column]!)))
    const bar = drawBar(index)
    if (bar === '') return [first, ...rest]
    return [first + ' '.repeat(tableWidth - stringWidth(first)) + style('cyan', bar), ...rest]
  })
  return [...draw(head).map((line) => style('bold', line)), ...body].map((line) => `${line}\n`).join('')
}

/** Replaces characters that would move the cursor of a terminal or change the direction of writing. */
const printable = (text: string): string => text.replaceAll(/[\p{Cc}\u2028-\u202E\u2066-\u2069]/gu, '·')

function chooseWidths(columns: readonly Column[], cells: readonly (readonly string[])[], width: number): number[] {
  const contents = columns.map((_, column) => Math.max(0, ...cells.map((row) => stringWidth(row[column] ?? ''))))
  const excess = (widths: readonly number[]): number => sumOf(widths) + gap * (widths.length - 1) - width
  const widths = columns.map(({ name }, column) => Math.max(stringWidth(name), contents[column]!))
  if (excess(widths) <= 0) return widths
  // Headings of several words are wrapped.
  const narrow = columns.map(({ name }, column) =>
    Math.max(...name.split(' ').map((word) => stringWidth(word)), contents[column]!),
  )
  for (let left = excess(narrow); left > 0; left--) {
    const flexible = narrow.keys().filter((column) => columns[column]!.overflow && narrow[column]! > textWidthMin)
    const [widest] = flexible.toArray().toSorted((a, b) => narrow[b]! - narrow[a]!)
    if (widest === undefined) break
    narrow[widest]! -= 1
  }
  return narrow
}

function fit(text: string, overflow: Column['overflow'], width: number): readonly string[] {
  if (overflow === 'wrap') return wrap(text, width)
  return [overflow === 'cut' ? cut(text, width) : text]
}

function cut(text: string, width: number): string {
  if (stringWidth(text) <= width) return text
  let kept = ''
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (stringWidth(kept + segment) >= width) break
    kept += segment
  }
  return `${kept}…`
}

function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`
    if (lines.length === 0 || stringWidth(longer) > width) lines.push(cut(word, width))
    else lines[lines.length - 1] = longer
  }
  return lines
}

function drawRow(
  columns: readonly Column[],
  widths: readonly number[],
  cells: readonly (readonly string[])[],
): string[] {
  const height = Math.max(...cells.map(({ length }) => length))
  return Array.from({ length: height }, (_, line) =>
    cells
      .map((lines, column) => {
        const text = lines[line] ?? ''
        const space = ' '.repeat(Math.max(0, (widths[column] ?? 0) - stringWidth(text)))
        return columns[column]?.isNumber === true ? space + text : text + space
      })
      .join(' '.repeat(gap))
      .trimEnd(),
  )
}

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

function barsOf(values: readonly (number | null)[], width: number): (row: number) => string {
  const most = Math.max(...values.map((value) => value ?? 0))
  return (row) => {
    const length = most > 0 ? Math.round((8 * width * Math.max(0, values[row] ?? 0)) / most) : 0
    return '█'.repeat(Math.floor(length / 8)) + (eighths[length % 8] ?? '')
  }
}

const levels = '▁▂▃▄▅▆▇█'

/** Draws a character for each value, its height between the smallest and the largest value. */
export function drawSparkline(values: readonly (number | null)[]): string {
  const known = values.filter((value) => value !== null)
  const [least, most] = [Math.min(...known), Math.max(...known)]
  const levelOf = (value: number): number => (most === least ? 3 : Math.round((7 * (value - least)) / (most - least)))
  return values.map((value) => (value === null ? ' ' : levels[levelOf(value)])).join('')
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0)
