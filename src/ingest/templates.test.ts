import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { parquetReadObjects } from 'hyparquet'
import { describe, expect, it } from 'vitest'
import { cubes } from '../catalog/cubes.ts'
import { fileColumnsOf } from './file-columns.ts'
import { writeTemplates } from './templates.ts'

describe.each(cubes)('the templates of $alias', async (cube) => {
  const folder = await mkdtemp(join(tmpdir(), 'adcube-templates-'))
  const paths = await writeTemplates(cube, '2026-11-13', folder)
  const [csv, ndjson, parquet] = await Promise.all(paths.map((path) => readFile(path)))
  await rm(folder, { recursive: true })
  const columns = fileColumnsOf(cube)
    .map(({ column }) => column)
    .filter((column) => column !== 'device_id')

  it('contain all columns in the same order and the same row in every format', async () => {
    const rows = [
      parse<Record<string, string>>(String(csv), { columns: true })[0]!,
      JSON.parse(String(ndjson)) as Record<string, unknown>,
      (await parquetReadObjects({ file: Uint8Array.from(parquet!).buffer }))[0]!,
    ]
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
