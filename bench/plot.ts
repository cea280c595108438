import { show, type Outcome } from './table.ts'

const width = 860
const barHeight = 16
const labelWidth = 330
const valueWidth = 90
const headHeight = 72
/** Ratio of the largest to the smallest bar from which the scale is logarithmic. */
const linearMax = 50
/** Colors that are distinguishable on white and on black, and with red-green color blindness. */
const colors = ['#d98a00', '#2f7ed8', '#1a9e77']
const style = `text { font: 13px system-ui, sans-serif; fill: #222 } .page { fill: #fff }
@media (prefers-color-scheme: dark) { text { fill: #ddd } .page { fill: #161616 } }`

/** Draws columns of a part's first table as bars, in a standalone SVG. */
export function drawPlot({ plot: { title, unit, columns }, tables: [table] }: Outcome): string {
  const { head, rows } = table!
  const bars = rows.map((row) => columns.map((column) => Number(row[head.indexOf(column)])))
  const drawn = bars.flat().filter((value) => value > 0)
  const [min, max] = [Math.min(...drawn), Math.max(...drawn)]
  const isLinear = max < min * linearMax
  const shareOf = (value: number): number =>
    isLinear ? value / max : Math.log((2 * value) / min) / Math.log((2 * max) / min)
  const groupHeight = barHeight * columns.length + 8
  const height = headHeight + groupHeight * rows.length + 8
  const legend = columns.map((column, index) => {
    const x = 16 + index * 200
    return `<rect x="${x}" y="40" width="12" height="12" fill="${colors[index]}"/>${write(x + 18, 51, column)}`
  })
  const groups = rows.map(([name], place) => {
    const top = headHeight + place * groupHeight
    const drawBar = (value: number, index: number): string => {
      const [y, length] = [top + index * barHeight, value > 0 ? shareOf(value) * (width - labelWidth - valueWidth) : 0]
      const bar = `<rect x="${labelWidth}" y="${y}" width="${length.toFixed(1)}" height="${barHeight - 3}" fill="${colors[index]}"/>`
      return bar + write(labelWidth + length + 6, y + 11, show(value, unit))
    }
    const label = write(labelWidth - 8, top + (barHeight * columns.length) / 2 + 3, String(name), ' text-anchor="end"')
    return label + bars[place]!.map(drawBar).join('')
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`,
    `<style>${style}</style><rect class="page" width="100%" height="100%"/>`,
    write(16, 25, `${title}${isLinear ? '' : ' (lengths are logarithms)'}`, ' style="font-weight: bold"'),
    ...legend,
    ...groups,
    '</svg>\n',
  ].join('\n')
}

const write = (x: number, y: number, text: string, more = ''): string =>
  `<text x="${x.toFixed(1)}" y="${y}"${more}>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</text>`
