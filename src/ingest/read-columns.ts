import type { DuckDBConnection } from '@duckdb/node-api'
import { UnreadableFile } from './load-refused.ts'
import type { ColumnFault, ColumnType, NamedColumn } from './match-columns.ts'
import { readHead } from './open-source.ts'
import { readCsvHeader } from './read-head.ts'
import type { Source } from './source.ts'

type Read = { readonly columns: readonly NamedColumn[]; readonly faults: readonly ColumnFault[] }

/** Enough for any header. */
const headerBytesMax = 1024 * 1024
const namesMax = 1_000
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])

/** What a file says about its columns. Rows of JSON each name their own, so all of them are looked at. */
export async function readColumns(connection: DuckDBConnection, { path, format }: Source): Promise<Read> {
  switch (format) {
    case 'csv': {
      const head = await readHead(path, headerBytesMax)
      const header = readCsvHeader(head, head.length < headerBytesMax)
      if (!header) throw new UnreadableFile('its header is not terminated')
      return { columns: header.map((name) => ({ name, type: 'text' })), faults: [] }
    }
    case 'parquet': {
      await readHead(path)
      const reader = await connection.runAndReadAll(
        'SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM read_parquet($path, binary_as_string = true, hive_partitioning = false))',
        { path },
      )
      const rows = reader.getRows().map(([name, type]) => ({
        name: String(name),
        type: typeOf(String(type)),
        declared: String(type),
      }))
      return { columns: rows, faults: [] }
    }
    case 'ndjson': {
      if ((await readHead(path)).subarray(0, 3).equals(byteOrderMark))
        throw new UnreadableFile('begins with a byte order mark; save it without one')
      return readJsonNames(connection, path)
    }
  }
}

function typeOf(type: string): ColumnType {
  if (/^(?:STRUCT|MAP|UNION)\b|\[\]\[\]$/.test(type)) return 'nested'
  if (type.endsWith(']')) return 'list'
  if (/^U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?$/.test(type)) return 'whole'
  if (type.startsWith('DECIMAL')) return 'decimal'
  return type === 'DOUBLE' || type === 'FLOAT' ? 'floating' : 'text'
}

/** Every name, where it is first, and where it is twice in a row. Most rows have the same names, so few lists are left. */
const jsonNames = `
  WITH lists AS (
    SELECT CASE WHEN json_type(json) = 'OBJECT' THEN json_keys(json) ELSE [NULL] END AS names, min(row) AS row
    FROM (SELECT row_number() OVER () AS row, json FROM read_ndjson_objects($path))
    GROUP BY names
  ), named AS (
    SELECT name, row, count(*) AS times FROM (SELECT row, unnest(names) AS name FROM lists) GROUP BY name, row
  )
  SELECT name, min(row)::INTEGER, (min(row) FILTER (times > 1))::INTEGER FROM named
  GROUP BY name ORDER BY min(row), name LIMIT ${namesMax}`

async function readJsonNames(connection: DuckDBConnection, path: string): Promise<Read> {
  const reader = await connection.runAndReadAll(jsonNames, { path })
  const columns: NamedColumn[] = []
  const faults: ColumnFault[] = []
  for (const [name, row, rowTwice] of reader.getRows()) {
    if (name === null) faults.push({ column: null, row: Number(row), reason: 'is not a JSON object' })
    else {
      const column = String(name)
      columns.push({ name: column, type: column.toLowerCase() === 'devices' ? 'list' : 'text', row: Number(row) })
      if (rowTwice != null) faults.push({ column, row: Number(rowTwice), reason: 'duplicate column' })
    }
  }
  return { columns, faults }
}
