import type { Cube } from '../catalog/cube.ts'
import { fileColumnsOf, type FileColumn } from '../catalog/file-columns.ts'
import { quote, suggest } from '../query/faults.ts'

/** What the values of a column are in the file: numbers of Parquet are read as what they are, all else as text. */
export type ColumnType = 'text' | 'whole' | 'decimal' | 'floating' | 'list' | 'nested'

export type NamedColumn = {
  readonly name: string
  readonly type: ColumnType
  /** As a Parquet file declares it: files that declare it differently are read apart, or the first would decide for all. */
  readonly declared?: string
  /** The first row that has it, where rows name their own columns. */
  readonly row?: number
}

/** A column of a file that is known to the catalog, under the name that the file has for it. */
export type IntakeColumn = FileColumn & { readonly nameInFile: string } & Pick<NamedColumn, 'type' | 'declared'>

export type ColumnFault = { readonly column: string | null; readonly row: number | null; readonly reason: string }

type Matched = { readonly columns: readonly IntakeColumn[] } | { readonly faults: readonly ColumnFault[] }

/** Finds what the columns of a file are, by the catalog's names or their snake_case form, in any case. */
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
  return faults.length > 0 ? { faults } : { columns: [...matched.values()] }
}

const findColumn = (known: readonly FileColumn[], name: string): FileColumn | undefined =>
  known.find(({ column, name: catalogName }) => {
    const plain = name.toLowerCase()
    return plain === column || plain === catalogName.toLowerCase()
  })
