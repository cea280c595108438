import type { Cube } from '../catalog/cube.ts'
import { fileColumnsOf, type FileColumn } from '../catalog/file-columns.ts'
import type { IntakeColumn, NumberInFile } from '../engine/compile-intake.ts'
import { quote, suggest } from '../query/faults.ts'

/** What a file says about its columns before any row is read. */
export type FileHead = {
  readonly columns: readonly {
    readonly name: string
    readonly isList: boolean
    readonly number?: NumberInFile | undefined
  }[]
  /** Rows may have columns that are not among these: each row of JSON names its own. */
  readonly isOpen: boolean
}

export type Matched = { readonly columns: readonly IntakeColumn[] } | { readonly faults: readonly string[] }

/** Finds what the columns of a file are, by the catalog's names or their snake_case form, in any case. */
export function matchColumns(cube: Cube, { columns, isOpen }: FileHead): Matched {
  const known = fileColumnsOf(cube)
  const faults: string[] = []
  const matched = new Map<string, IntakeColumn>()
  for (const { name, isList, number } of columns) {
    const column = findColumn(known, name)
    if (!column) {
      const names = known.map((each) => each.column)
      faults.push(`${quote(name)} is no column of ${cube.alias}.${suggest(name.replaceAll(' ', '_'), names)}`)
    } else if (matched.has(column.column)) {
      faults.push(`${quote(name)} is there twice.`)
    } else if (isList && column.kind !== 'devices') {
      faults.push(`${quote(name)} holds lists; only devices may.`)
    } else {
      // Whole amounts and broken counts are left to the text.
      const isFit = column.kind === (number === 'decimal' ? 'money' : 'count')
      matched.set(column.column, { ...column, nameInFile: name, isList, number: isFit ? number : undefined })
    }
  }
  if (matched.has('device_id') && matched.has('devices')) faults.push('Give device_id or devices, not both.')
  for (const { column, kind } of known) {
    if ((kind === 'account' || kind === 'day') && !matched.has(column) && !isOpen) {
      faults.push(`The column ${column} is missing.`)
    }
  }
  if (faults.length > 0) return { faults }
  return { columns: isOpen ? withUnseen(known, matched) : [...matched.values()] }
}

const findColumn = (known: readonly FileColumn[], name: string): FileColumn | undefined =>
  known.find(({ column, name: catalogName }) => {
    const plain = name.toLowerCase()
    return plain === column || plain === catalogName.toLowerCase()
  })

/** Columns that only later rows have are expected under the names that fit those that were seen. */
function withUnseen(known: readonly FileColumn[], matched: ReadonlyMap<string, IntakeColumn>): IntakeColumn[] {
  const isByCatalog = [...matched.values()].some(
    ({ column, name, nameInFile }) => name !== column && nameInFile === name,
  )
  const hasDeviceId = matched.has('device_id')
  return known
    .filter(({ kind }) => kind !== (hasDeviceId ? 'devices' : 'device'))
    .map((column) => {
      const nameInFile = isByCatalog ? column.name : column.column
      const isList = column.kind === 'devices'
      return matched.get(column.column) ?? { ...column, nameInFile, isList }
    })
}
