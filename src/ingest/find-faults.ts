import type { DuckDBConnection } from '@duckdb/node-api'
import { bindParams } from '../duckdb/sql.ts'
import { quote } from '../query/faults.ts'
import type { FileFault, Findings } from '../store/loads.ts'
import { compileFaults, type Checks, type Layout } from './compile-intake.ts'
import { explainError } from './explain-error.ts'
import { addFindings, faultsShown, noFindings } from './load-refused.ts'
import type { Source } from './open-source.ts'

/** A file and its columns. */
export type Readable = { readonly source: Source; readonly layout: Layout }

/** Reads files once more to find the rows that do not pass the checks. */
export async function findFaults(
  connection: DuckDBConnection,
  files: readonly (Readable | Findings)[],
  checksOf: (layout: Layout) => Checks,
  params: Readonly<Record<string, unknown>>,
): Promise<Findings> {
  const found: Findings[] = []
  for (const file of files) {
    found.push('layout' in file ? await findInFile(connection, file, checksOf(file.layout), params) : file)
  }
  return addFindings(...found)
}

let scans = 0

async function findInFile(
  connection: DuckDBConnection,
  { source, layout }: Readable,
  checks: Checks,
  params: Readonly<Record<string, unknown>>,
): Promise<Findings> {
  if (checks.length === 0) return noFindings
  const { name: file, path } = source
  const scan = { files: 'path', rejects: `rejects_${++scans}` }
  const sql = compileFaults(layout, checks, scan, faultsShown)
  const used = Object.fromEntries(Object.entries(params).filter(([name]) => sql.includes(`$${name}`)))
  try {
    const reader = await connection.runAndReadAll(sql, ...bindParams({ ...used, path }))
    const [row] = reader.getRowObjectsJson() as unknown as { count: string; first: readonly FaultyRow[] | null }[]
    const first = (row?.first ?? []).flatMap((each) => each.faults.map((fault) => toFault(file, each.row, fault)))
    const found = { count: Number(row?.count ?? 0), first }
    return layout.format === 'csv' ? merge(found, await readRejects(connection, file, layout, scan.rejects)) : found
  } catch (error) {
    const fault = explainError(error, source)
    if (!fault) throw error
    return fault
  }
}

type FaultyRow = {
  readonly row: string
  readonly faults: readonly { readonly field: string; readonly value: string | null; readonly reason: string }[]
}

const toFault = (file: string, row: string, { field, value, reason }: FaultyRow['faults'][number]): FileFault => ({
  file,
  row: Number(row),
  column: field,
  reason: value === null || value === '' ? reason : `${quote(value)} ${reason}`,
})

const rejectReasons: Readonly<Record<string, string>> = {
  'MISSING COLUMNS': 'has fewer fields than the header',
  'TOO MANY COLUMNS': 'has more fields than the header',
  'UNQUOTED VALUE': 'has a quoted value that does not end, or text after one',
  'INVALID ENCODING': 'is not valid UTF-8',
  'LINE SIZE OVER MAXIMUM': 'is longer than 2 MB; a quoted value may not be closed',
}

/** Lists the lines that are not rows. DuckDB's line numbers include the header. */
async function readRejects(
  connection: DuckDBConnection,
  file: string,
  { columns }: Layout,
  table: string,
): Promise<Findings> {
  const reader = await connection.runAndReadAll(
    `SELECT line::INTEGER, first(error_type::VARCHAR), first(column_idx::INTEGER), count(*) OVER ()::INTEGER
    FROM ${table} GROUP BY line ORDER BY line LIMIT ${faultsShown}`,
  )
  const rows = reader.getRows()
  const first = rows.map(([line, type, column]) => {
    const isOfColumn = type === 'INVALID ENCODING' || type === 'UNQUOTED VALUE'
    return {
      file,
      row: Number(line) - 1,
      column: isOfColumn ? (columns[Number(column) - 1]?.nameInFile ?? null) : null,
      reason: rejectReasons[String(type)] ?? 'cannot be read',
    }
  })
  return { count: Number(rows[0]?.[3] ?? 0), first }
}

/** Merges faults of rows, which DuckDB counts without the rejected lines, with these lines, in the order of the file. */
function merge(found: Findings, rejected: Findings): Findings {
  const shifted = found.first.map((fault) => {
    let row = fault.row ?? 0
    for (const { row: at } of rejected.first) if ((at ?? 0) <= row) row++
    return { ...fault, row }
  })
  const all = [...shifted, ...rejected.first].toSorted((a, b) => a.row! - b.row!)
  return { count: found.count + rejected.count, first: all.slice(0, faultsShown) }
}
