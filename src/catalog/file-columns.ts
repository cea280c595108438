import type { Cube } from './cube.ts'

/** A column of the files that facts are loaded from. */
export type FileColumn = {
  /** Its name, and that of the column of the facts where it ends up there. */
  readonly column: string
  /** What the catalog calls it, where that differs: files may use either. */
  readonly name: string
  readonly kind: 'account' | 'day' | 'text' | 'count' | 'money' | 'device' | 'devices'
  readonly description: string
}

/** All columns that a file of this cube may have. Only the account and the day must be there. */
export const fileColumnsOf = ({ dimensions, measures }: Cube): readonly FileColumn[] => [
  { column: 'account', name: 'account', kind: 'account', description: 'Id of the account that the row belongs to' },
  ...dimensions.map(({ name, column, type, description }) => ({
    column,
    name,
    kind: type === 'date' ? ('day' as const) : ('text' as const),
    description,
  })),
  ...measures.map(({ column, type, description }) => ({ column, name: column, kind: type, description })),
  { column: 'device_id', name: 'device_id', kind: 'device', description: 'The device of the row' },
  {
    column: 'devices',
    name: 'devices',
    kind: 'devices',
    description: 'The devices of the row, instead of device_id: a list, in CSV with ; between them',
  },
]
