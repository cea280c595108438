import type { DuckDBConnection } from '@duckdb/node-api'
import { UnreadableFile } from './load-refused.ts'
import type { ColumnFault, ColumnType, NamedColumn } from './match-columns.ts'
import { readHead, type Source } from './open-source.ts'

type Read = { readonly columns: readonly NamedColumn[]; readonly faults: readonly ColumnFault[] }

const headerBytesMax = 1024 * 1024
const namesMax = 1_000
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])

/** Reads the columns of a file. Each row of NDJSON names its own, so all rows are read. */
export async function readColumns(connection: DuckDBConnection, { path, format }: Source): Promise<Read> {
  switch (format) {
    case 'csv': {
      const head = await readHead(path, headerBytesMax)
      const header = readCsvHeader(head, head.length < headerBytesMax)
      if (!header) throw new UnreadableFile('its header is not terminated')
      return { columns: header.map((name) => ({ name, type: 'text' })), faults: [] }
    }
    case 'parquet': {
      await readHead(path, 1)
      const reader = await connection.runAndReadAll(
        'SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM read_parquet($path, binary_as_string = true, hive_partitioning = false))',
        { path },
      )
      const rows = reader.getRows().map(([name, type]) => [String(name), String(type)] as const)
      return { columns: rows.map(([name, type]) => ({ name, type: typeOf(type), declared: type })), faults: [] }
    }
    case 'ndjson': {
      if ((await readHead(path, 3)).equals(byteOrderMark))
        throw new UnreadableFile('begins with a byte order mark; save it without one')
      return readJsonNames(connection, path)
    }
  }
}

/** Reads the fields of the first line of CSV; undefined if the line does not end within these bytes. */
export function readCsvHeader(head: Buffer, isAll: boolean): readonly string[] | undefined {
  const text = head.toString('utf8').replace(/^\uFEFF/, '')
  const fields: string[] = []
  const field = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r?\n|\r|$)/y
  for (;;) {
    const match = field.exec(text)
    if (!match) return undefined
    const [, value = '', end = ''] = match
    fields.push(value.startsWith('"') ? value.slice(1, -1).replaceAll('""', '"') : value)
    if (end === ',') continue
    return end === '' && !isAll ? undefined : fields
  }
}

function typeOf(type: string): ColumnType {
  if (/^(?:STRUCT|MAP|UNION)\b|\[\]\[\]$/.test(type)) return 'nested'
  if (type.endsWith(']')) return 'list'
  if (/^U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?$/.test(type)) return 'whole'
  if (type.startsWith('DECIMAL')) return 'decimal'
  return type === 'DOUBLE' || type === 'FLOAT' ? 'floating' : 'text'
}

/** Selects each name, the first row that has it, and the first row that has it twice. Most rows have the same names. */
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
