import type { SchemaElement } from 'hyparquet'
import { parquetWriteBuffer } from 'hyparquet-writer'
import type { Cube } from '../../src/catalog/cube.ts'

/** A fact as in a file: text for dimensions, numbers for measures, millionths for money. */
export type Fact = {
  readonly day: string
  readonly dimensions: Readonly<Record<string, string>>
  readonly measures: Readonly<Record<string, bigint>>
  readonly devices: readonly string[]
}

/** Writes CSV with all values quoted, without columns that are empty in all rows. */
export function toCsv(cube: Cube, account: string, facts: readonly Fact[]): string {
  const columns = [
    ['account', facts.map(() => account)] as const,
    ...cube.dimensions.map(
      ({ name, column, type }) =>
        [column, facts.map((fact) => (type === 'date' ? fact.day : (fact.dimensions[name] ?? '')))] as const,
    ),
    ...cube.measures.map(({ column, type }) => {
      const amounts = facts.map(({ measures }) => measures[column] ?? 0n)
      const texts = amounts.map((amount) => (type === 'money' ? toDecimal(amount) : String(amount)))
      return [column, amounts.some((amount) => amount !== 0n) ? texts : []] as const
    }),
    ['devices', facts.map(({ devices }) => devices.join(';'))] as const,
  ].filter(([, values]) => values.some((value) => value !== ''))
  const rows = [columns.map(([name]) => name), ...facts.map((_, index) => columns.map(([, values]) => values[index]!))]
  return rows.map((row) => `${row.map((field) => `"${field.replaceAll('"', '""')}"`).join(',')}\n`).join('')
}

/** Writes NDJSON with the catalog's names. Every other row leaves out empty values and zeros. */
export function toNdjson(cube: Cube, account: string, facts: readonly Fact[]): string {
  const rows = facts.map((fact, index) => {
    const fields: (readonly [string, unknown])[] = [
      ['account', account],
      ...cube.dimensions.map(
        ({ name, type }) => [name, type === 'date' ? fact.day : (fact.dimensions[name] ?? '')] as const,
      ),
      ...cube.measures.map(({ column, type }) => [column, toNumber(fact.measures[column], type)] as const),
      ['devices', fact.devices],
    ]
    const kept = fields.filter(([, value]) => index % 2 === 0 || (value !== '' && value !== 0))
    return JSON.stringify(Object.fromEntries(kept))
  })
  return rows.map((row) => `${row}\n`).join('')
}

/** Writes Parquet with typed columns in capitals, and null for empty values. */
export function toParquet(
  cube: Cube,
  account: string,
  facts: readonly Fact[],
  { money }: { readonly money: 'double' | 'decimal' },
): Uint8Array {
  const text = { type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' } as const
  const columns: (readonly [readonly SchemaElement[], readonly unknown[]])[] = [
    [[{ name: 'ACCOUNT', ...text }], facts.map(() => account)],
    ...cube.dimensions.map(({ name, column, type }) =>
      type === 'date'
        ? ([
            [{ name: 'DAY', type: 'INT32', converted_type: 'DATE', repetition_type: 'OPTIONAL' }],
            facts.map(({ day }) => new Date(day)),
          ] as const)
        : ([
            [{ name: column.toUpperCase(), ...text }],
            facts.map(({ dimensions }) => dimensions[name] || undefined),
          ] as const),
    ),
    ...cube.measures.map(({ column, type }) => {
      const values = facts.map(({ measures }) => measures[column] ?? 0n)
      const element = { name: column.toUpperCase(), repetition_type: 'OPTIONAL' } as const
      if (type === 'count') return [[{ ...element, type: 'INT64' }], values] as const
      return money === 'double'
        ? ([[{ ...element, type: 'DOUBLE' }], values.map((value) => toNumber(value, type))] as const)
        : ([[{ ...element, type: 'INT64', converted_type: 'DECIMAL', precision: 18, scale: 6 }], values] as const)
    }),
    [
      [
        { name: 'DEVICES', converted_type: 'LIST', repetition_type: 'OPTIONAL', num_children: 1 },
        { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
        { name: 'element', ...text },
      ],
      facts.map(({ devices }) => (devices.length === 0 ? undefined : devices)),
    ],
  ]
  return new Uint8Array(
    parquetWriteBuffer({
      schema: [{ name: 'root', num_children: columns.length }, ...columns.flatMap(([elements]) => elements)],
      columnData: columns.map(([elements, data]) => ({ name: elements[0]!.name, data: [...data] })),
    }),
  )
}

const toNumber = (value: bigint | undefined, type: 'count' | 'money'): number =>
  Number(value ?? 0n) / (type === 'money' ? 1e6 : 1)

const toDecimal = (millionths: bigint): string =>
  `${millionths / 1_000_000n}.${String(millionths % 1_000_000n).padStart(6, '0')}`
