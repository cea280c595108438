import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { CsvRows } from './parse-csv.ts'

const field = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', '"', ',', '\r', '\n', ' ', 'é'), maxLength: 6 }),
  fc.string({ maxLength: 10 }),
)
const write = (value: string): string => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value)

it('gives back what was written, wherever the text is cut', () => {
  const tables = fc
    .integer({ min: 1, max: 4 })
    .chain((width) => fc.array(fc.array(field, { minLength: width, maxLength: width }), { maxLength: 5 }))
  fc.assert(
    fc.property(tables, fc.array(fc.nat(60), { maxLength: 5 }), (rows, cuts) => {
      const text = rows.map((row) => `${row.map(write).join(',')}\r\n`).join('')
      const ends = [...cuts.toSorted((a, b) => a - b), text.length]
      const csv = new CsvRows()
      const read = ends.flatMap((end, index) => csv.add(text.slice(ends[index - 1] ?? 0, end)))
      expect(read).toEqual(rows)
    }),
  )
})
