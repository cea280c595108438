import type { DuckDBConnection } from '@duckdb/node-api'
import { bindParams } from '../facts/duckdb/bind.ts'
import { quote } from '../query/faults.ts'
import { compileFaults, type Layout } from './compile-intake.ts'
import type { Check } from './compile-values.ts'
import { explainEngine } from './explain-engine.ts'
import type { FileFault, Findings } from '../store/loads.ts'
import { faultsShown } from './load-refused.ts'
import type { Source } from './source.ts'

let scans = 0

/** Reads a file once more to tell which rows do not pass the checks: the first of them, and the number of all. */
export async function findFaults(
  connection: DuckDBConnection,
  source: Source,
  layout: Layout,
  checks: readonly Check[],
  params: Readonly<Record<string, unknown>>,
): Promise<Findings> {
  const { name: file, path } = source
  const scan = { files: 'path', rejects: `rejects_${++scans}` }
  const sql = compileFaults(layout, checks, scan, faultsShown)
  const used = Object.fromEntries(Object.entries(params).filter(([name]) => sql.includes(`$${name}`)))
  try {
    const reader = await connection.runAndReadAll(sql, ...bindParams({ sql, params: { ...used, path } }))
    const [row] = reader.getRowObjectsJson() as unknown as { count: string; first: readonly FaultyRow[] | null }[]
    const first = (row?.first ?? []).flatMap((each) => each.faults.map((fault) => toFault(file, each.row, fault)))
    const found = { count: Number(row?.count ?? 0), first }
    if (layout.format !== 'csv') return { ...found, first: first.slice(0, faultsShown) }
    return merge(found, await readRejects(connection, source, layout, scan.rejects))
  } catch (error) {
    const fault = explainEngine(error, source)
    if (!fault) throw error
    return { count: 1, first: [fault] }
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

/** Lines that are no rows. The engine numbers lines with the header. */
async function readRejects(
  connection: DuckDBConnection,
  { name: file }: Source,
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

/** The engine counts rows without the lines that are none; here they are counted like everybody else's. */
function merge(found: Findings, rejected: Findings): Findings {
  const shifted = found.first.map((fault) => {
    let row = fault.row ?? 0
    for (const { row: at } of rejected.first) if ((at ?? 0) <= row) row++
    return { ...fault, row }
  })
  const all = [...shifted, ...rejected.first].toSorted((a, b) => a.row! - b.row!)
  return { count: found.count + rejected.count, first: all.slice(0, faultsShown) }
}
