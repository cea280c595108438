import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Cube } from '../catalog/cube.ts'
import { fileColumnsOf, type FileColumn, type FileFormat } from './file-columns.ts'
import { openDuckdb } from '../duckdb/open-duckdb.ts'
import { copyTo, quoteText } from '../duckdb/sql.ts'
import type { Day } from '../query/day.ts'

const formats: Record<FileFormat, string> = {
  csv: 'FORMAT csv, HEADER true',
  ndjson: 'FORMAT json',
  parquet: 'FORMAT parquet',
}

/** Writes the same example row as a file of each format; returns their paths. */
export async function writeTemplates(cube: Cube, day: Day, into: string): Promise<readonly string[]> {
  const folder = resolve(into)
  await mkdir(folder, { recursive: true })
  // A file has device_id or devices, not both.
  const columns = fileColumnsOf(cube).filter(({ kind }) => kind !== 'device')
  await using duckdb = await openDuckdb({ memoryMb: 256, threads: 1, spillFolder: folder, folders: [folder] })
  const paths: string[] = []
  for (const format of ['csv', 'ndjson', 'parquet'] as const) {
    const path = join(folder, `${cube.alias}.${format}`)
    const row = columns.map((column) => `${exampleOf(column, day, format)} AS ${column.column}`)
    await duckdb.connection.run(copyTo(path, `SELECT ${row.join(', ')}`, formats[format]))
    paths.push(path)
  }
  return paths
}

function exampleOf({ kind, example = 'text' }: FileColumn, day: Day, format: FileFormat): string {
  switch (kind) {
    case 'account':
      return quoteText('my-account')
    case 'day':
      return `DATE ${quoteText(day)}`
    case 'count':
      return '1::BIGINT'
    case 'money':
      return '0.25::DOUBLE'
    case 'devices':
      return format === 'csv' ? quoteText('device-1;device-2') : "['device-1', 'device-2']"
    case 'text':
    case 'device':
      return quoteText(example)
  }
}
