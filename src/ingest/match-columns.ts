import type { Cube } from '../catalog/cube.ts'
import { fileColumnsOf, type FileColumn } from './file-columns.ts'
import { quote, suggest } from '../query/faults.ts'

/** The type of a column in the file. Only Parquet has numbers and lists; everything else is text. */
export type ColumnType = 'text' | 'whole' | 'decimal' | 'floating' | 'list' | 'nested'

export type NamedColumn = {
  readonly name: string
  readonly type: ColumnType
  /** The type that a Parquet file declares. Files with different types are read apart: DuckDB would apply the first to all. */
  readonly declared?: string
  /** The first row of NDJSON that has it. */
  readonly row?: number
}

/** A column of the catalog and its name in the file. */
export type IntakeColumn = FileColumn & { readonly nameInFile: string } & Pick<NamedColumn, 'type' | 'declared'>

export type ColumnFault = { readonly column: string | null; readonly row: number | null; readonly reason: string }

type Matched = { readonly columns: readonly IntakeColumn[]; readonly faults: readonly ColumnFault[] }

/** Matches the columns of a file with the catalog's names or their snake_case form, in any case. */
export function matchColumns(cube: Cube, named: readonly NamedColumn[]): Matched {
  const known = fileColumnsOf(cube)
  const faults: ColumnFault[] = []
  const matched = new Map<string, IntakeColumn>()
  for (const { name, type, declared, row = null } of named) {
    const column = findColumn(known, name)
    const refuse = (reason: string): void => void faults.push({ column: name, row, reason })
    if (!column) {
      const names = known.map((each) => each.column)
      refuse(`unknown column of ${cube.alias}.${suggest(name.replaceAll(' ', '_'), names)}`)
    } else if (matched.has(column.column)) {
      refuse(`duplicate column, like ${quote(matched.get(column.column)?.nameInFile ?? '')}`)
    } else if (type === 'nested' || (type === 'list' && column.kind !== 'devices')) {
      refuse(`holds ${type === 'list' ? 'lists; only devices may' : 'nested values'}`)
    } else {
      matched.set(column.column, { ...column, nameInFile: name, type, ...(declared && { declared }) })
    }
  }
  if (matched.has('device_id') && matched.has('devices')) {
    faults.push({ column: 'devices', row: null, reason: 'give device_id or devices, not both' })
  }
  for (const column of ['account', 'day']) {
    if (!matched.has(column)) faults.push({ column, row: null, reason: 'the column is missing' })
  }
  return { columns: [...matched.values()], faults }
}

const findColumn = (known: readonly FileColumn[], name: string): FileColumn | undefined =>
  known.find(({ column, name: catalogName }) => {
    const plain = name.toLowerCase()
    return plain === column || plain === catalogName.toLowerCase()
  })
