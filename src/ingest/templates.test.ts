import { parse } from 'csv-parse/sync'
import { parquetReadObjects } from 'hyparquet'
import { describe, expect, it } from 'vitest'
import { cubes } from '../catalog/cubes.ts'
import { fileColumnsOf } from '../catalog/file-columns.ts'
import { templatesOf } from './templates.ts'

describe.each(cubes)('the templates of $alias', (cube) => {
  const templates = new Map(templatesOf(cube, '2026-11-13').map(({ ending, content }) => [ending, content]))
  const columns = fileColumnsOf(cube)
    .map(({ column }) => column)
    .filter((column) => column !== 'device_id')

  const readers: Readonly<Record<string, () => Promise<Record<string, unknown> | undefined>>> = {
    csv: async () => parse<Record<string, string>>(String(templates.get('csv')), { columns: true })[0],
    ndjson: async () => JSON.parse(String(templates.get('ndjson'))),
    parquet: async () => {
      const content = templates.get('parquet')
      if (!(content instanceof Uint8Array)) return undefined
      return (await parquetReadObjects({ file: Uint8Array.from(content).buffer }))[0]
    },
  }

  it('hold every column in every format, in one order, and the same row', async () => {
    expect([...templates.keys()]).toEqual(Object.keys(readers))
    const rows = await Promise.all(Object.values(readers).map(async (read) => (await read()) ?? {}))
    for (const row of rows) expect(Object.keys(row)).toEqual(columns)
    const plain = rows.map((row) => Object.values(row).map(show))
    expect(plain[1]).toEqual(plain[0])
    expect(plain[2]).toEqual(plain[0])
    expect(rows[0]).toMatchObject({ account: 'my-account', day: '2026-11-13', devices: 'device-1;device-2' })
  })
})

function show(value: unknown): string {
  if (value instanceof Date) return value.toISOString().slice(0, 10)
  return Array.isArray(value) ? value.join(';') : String(value)
}
