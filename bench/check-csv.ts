import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'

export type CsvFigures = {
  readonly rows: number
  readonly sorted: boolean
  readonly sums: Readonly<Record<string, bigint>>
  readonly checksum: string
}

/** The fields that are summed; money counts in millionths, so that nothing is rounded. */
export const summed = ['Auctions', 'Auctions Won', 'Cleared', 'Clicks', 'Net Revenue']
const money = 'Net Revenue'

/**
 * Reads the report of the wide query, whose values hold neither commas nor quotes: counts its rows, sums its measures,
 * and sees whether each row may follow the one before it.
 */
export async function checkCsv(stream: Readable, dimensions: readonly string[]): Promise<CsvFigures> {
  const hash = createHash('sha256')
  const sums = new Map(summed.map((name) => [name, 0n]))
  let columns: readonly string[] | undefined
  let rows = 0
  let sorted = true
  let last: { readonly micros: bigint; readonly key: string } | undefined
  let rest = ''

  const take = (line: string): void => {
    const values = line.replaceAll('"', '').split(',')
    if (!columns) {
      columns = values
      return
    }
    rows++
    for (const name of summed) {
      sums.set(name, sums.get(name)! + toUnits(name, values[columns.indexOf(name)] ?? ''))
    }
    const row = {
      micros: toUnits(money, values[columns.indexOf(money)] ?? ''),
      // No character of the values sorts before this one.
      key: values.slice(0, dimensions.length).join('\u0001'),
    }
    if (last && (row.micros > last.micros || (row.micros === last.micros && row.key <= last.key))) sorted = false
    last = row
  }
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    hash.update(chunk)
    const lines = (rest + chunk.toString('latin1')).split('\r\n')
    rest = lines.pop() ?? ''
    lines.forEach(take)
  }
  if (rest !== '') throw new Error('The report ends within a line.')
  return { rows, sorted, sums: Object.fromEntries(sums), checksum: `sha256:${hash.digest('hex')}` }
}

export function toUnits(name: string, text: string): bigint {
  if (name !== money) return BigInt(text)
  const [whole = '', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(6, '0'))
}
