import { parquetWriteBuffer } from 'hyparquet-writer'
import type { Cube } from '../../catalog/cube.ts'
import type { Query } from '../../client/index.ts'
import type { QueryAnswer } from '../../contract/answers.ts'

const types = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  day: { type: 'INT32', converted_type: 'DATE' },
  count: { type: 'INT64' },
  number: { type: 'DOUBLE' },
} as const

const read = {
  text: String,
  day: (day: string) => new Date(day),
  count: (count: number) => BigInt(count),
  number: Number,
}

/** Writes a Parquet file: days are dates, counts are INT64, other numbers are DOUBLE. */
export function writeParquet(cube: Cube, { dimensions, metrics }: Query, rows: QueryAnswer['data']): Uint8Array {
  const columns = [
    ...dimensions.map((name) => ({ name, kind: name === 'Day' ? ('day' as const) : ('text' as const) })),
    ...metrics.map((name) => ({ name, kind: isWhole(cube, name) ? ('count' as const) : ('number' as const) })),
  ]
  const buffer = parquetWriteBuffer({
    columnData: columns.map(({ name, kind }) => ({
      name,
      data: rows.map(({ [name]: value = null }) => (value === null ? null : read[kind](value as never))),
    })),
    schema: [
      { name: 'root', num_children: columns.length },
      ...columns.map(({ name, kind }) => ({ name, ...types[kind], repetition_type: 'OPTIONAL' as const })),
    ],
  })
  return new Uint8Array(buffer)
}

function isWhole({ metrics }: Cube, name: string): boolean {
  const metric = metrics.find((each) => each.name === name)
  return metric?.unit === 'count' || metric?.formula.kind === 'uniques'
}
