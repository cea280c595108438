import type { SchemaElement } from 'hyparquet'
import { parquetWriteBuffer } from 'hyparquet-writer'
import type { Cube } from '../catalog/cube.ts'
import { fileColumnsOf, type FileColumn } from '../catalog/file-columns.ts'
import type { Day } from '../query/day.ts'

type Template = { readonly ending: string; readonly content: string | Uint8Array }

/** A file of one row in each format, all alike, to start from. */
export function templatesOf(cube: Cube, day: Day): readonly Template[] {
  // Of the two ways to name devices, the one that holds more.
  const columns = fileColumnsOf(cube).filter(({ kind }) => kind !== 'device')
  const row = columns.map((column) => ({ column, value: exampleOf(column, day) }))
  const csv = [
    columns.map(({ column }) => column),
    row.map(({ value }) => (Array.isArray(value) ? value.join(';') : String(value))),
  ]
  return [
    { ending: 'csv', content: csv.map((fields) => `${fields.join(',')}\n`).join('') },
    {
      ending: 'ndjson',
      content: `${JSON.stringify(Object.fromEntries(row.map(({ column, value }) => [column.column, value])))}\n`,
    },
    { ending: 'parquet', content: toParquet(row) },
  ]
}

type Value = string | number | readonly string[]

function exampleOf({ column, kind }: FileColumn, day: Day): Value {
  switch (kind) {
    case 'account':
      return 'my-account'
    case 'day':
      return day
    case 'count':
      return 1
    case 'money':
      return 0.25
    case 'devices':
      return ['device-1', 'device-2']
    case 'text':
    case 'device':
      return column === 'country' ? 'US' : 'text'
  }
}

function toParquet(row: readonly { readonly column: FileColumn; readonly value: Value }[]): Uint8Array {
  const text = { type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' } as const
  const elements = row.flatMap(({ column: { column: name, kind } }): SchemaElement[] => {
    switch (kind) {
      case 'day':
        return [{ name, type: 'INT32', converted_type: 'DATE', repetition_type: 'OPTIONAL' }]
      case 'count':
        return [{ name, type: 'INT64', repetition_type: 'OPTIONAL' }]
      case 'money':
        return [{ name, type: 'DOUBLE', repetition_type: 'OPTIONAL' }]
      case 'devices':
        return [
          { name, converted_type: 'LIST', repetition_type: 'OPTIONAL', num_children: 1 },
          { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
          { name: 'element', ...text },
        ]
      default:
        return [{ name, ...text }]
    }
  })
  const columnData = row.map(({ column: { column: name, kind }, value }) => ({
    name,
    data: [kind === 'day' ? new Date(String(value)) : kind === 'count' ? BigInt(value as number) : value],
  }))
  return new Uint8Array(
    parquetWriteBuffer({ schema: [{ name: 'root', num_children: row.length }, ...elements], columnData }),
  )
}
