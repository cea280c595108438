import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { CsvMeter } from './pack-csv.ts'

const quote = (text: string): string => `"${text.replaceAll('"', '""')}"`

it('counts rows with any text in the fields, in pieces of any size', () => {
  const field = fc.oneof(fc.string(), fc.stringMatching(/^[",\r\n]{0,6}$/))
  const table = fc.array(fc.array(field, { minLength: 2, maxLength: 2 }), { maxLength: 20 })
  fc.assert(
    fc.property(table, fc.integer({ min: 1, max: 50 }), (rows, size) => {
      const csv = Buffer.from(
        ['"a","b"', ...rows.map((row) => row.map(quote).join(','))].map((line) => `${line}\r\n`).join(''),
      )
      const meter = new CsvMeter()
      for (let at = 0; at < csv.length; at += size) meter.add(csv.subarray(at, at + size))
      const checksum = createHash('sha256').update(csv).digest('hex')
      expect(meter.result()).toEqual({ rows: rows.length, bytes: csv.length, checksum })
    }),
  )
})
