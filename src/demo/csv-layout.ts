import type { Cube } from '../catalog/cube.ts'
import type { CsvWriter } from './csv-writer.ts'

/** The values of some columns, by column name. */
export type Fields = Readonly<Record<string, string>>

/**
 * A row's dimensions come from a few things (the placement, the viewer, the creative), whose columns lie mixed in the
 * catalog's order. The layout says which thing has the word where, so that every thing joins its neighbouring columns
 * to fragments once, and a row is made by laying fragments end to end.
 */
export type CsvLayout = {
  /** For each stretch of the row: whose columns they are, and which of its fragments. */
  readonly owners: Uint8Array
  readonly indexes: Uint8Array
  readonly stretches: readonly { readonly owner: number; readonly columns: readonly string[] }[]
}

/** Takes one example of each thing. The first dimension, the day, stays out: it is the same for all rows written. */
export function layoutOf(cube: Cube, examples: readonly Fields[]): CsvLayout {
  const stretches: { owner: number; columns: string[] }[] = []
  for (const { column } of cube.dimensions.slice(1)) {
    const owner = examples.findIndex((fields) => column in fields)
    if (owner === -1) throw new Error(`the sample data has no values for ${cube.alias}.${column}`)
    const last = stretches.at(-1)
    if (last?.owner === owner) last.columns.push(column)
    else stretches.push({ owner, columns: [column] })
  }
  const seen = examples.map(() => 0)
  return {
    owners: Uint8Array.from(stretches, ({ owner }) => owner),
    indexes: Uint8Array.from(stretches, ({ owner }) => seen[owner]!++),
    stretches,
  }
}

/** The columns of one thing, stretch by stretch, as the writer knows them. */
export type Fragments = readonly number[]

/** Each fragment ends with the comma behind its last value. */
export function keepFragments(writer: CsvWriter, layout: CsvLayout, owner: number, fields: Fields): Fragments {
  return layout.stretches
    .filter((stretch) => stretch.owner === owner)
    .map(({ columns }) => writer.keep(columns.map((column) => `${fields[column] ?? ''},`).join('')))
}
