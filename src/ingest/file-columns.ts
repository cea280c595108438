import type { Cube } from '../catalog/cube.ts'

/** The formats of the files that facts are loaded from. */
export const fileFormats = ['parquet', 'csv', 'ndjson'] as const
export type FileFormat = (typeof fileFormats)[number]

/** A column of these files. */
export type FileColumn = {
  /** The name in files and, for what is stored, in facts. */
  readonly column: string
  /** The catalog's name, which files may use too. */
  readonly name: string
  readonly kind: 'account' | 'day' | 'text' | 'count' | 'money' | 'device' | 'devices'
  readonly description: string
  readonly example?: string
}

/** Lists the columns that a file of this cube may have. Only account and day are required. */
export const fileColumnsOf = ({ dimensions, measures }: Cube): readonly FileColumn[] => [
  { column: 'account', name: 'account', kind: 'account', description: 'Id of the account that the row belongs to' },
  ...dimensions.map(({ type, ...field }) => ({
    ...field,
    kind: type === 'date' ? ('day' as const) : ('text' as const),
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

/** The form of an account's id, for JavaScript and DuckDB: it is safe in an address and in a shell. */
export const accountIdPattern = '^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$'

export const isAccountId = (text: string): boolean => new RegExp(accountIdPattern).test(text)
