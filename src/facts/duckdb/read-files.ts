import type { Cube } from '../../catalog/cube.ts'
import { columnsOfLoad } from '../stored-columns.ts'
import { readParquet } from '../../duckdb/sql.ts'
import { indent } from '../compile.ts'
import { columnTypes } from '../fact-folder.ts'

/** A file of facts or a rollup, and the columns that its load recorded. */
export type StoredFile = { readonly path: string; readonly columns?: string | null | undefined }

/**
 * Compiles the reading of columns of files. A file that was loaded before the catalog had some of these columns is read
 * apart from the others, with empty text or zero in their place.
 */
export function readFiles(parameter: string, files: readonly StoredFile[], cube: Cube, columns: readonly string[]) {
  const empty = new Map([
    ...cube.dimensions.flatMap(({ column, type }) => (type === 'string' ? [[column, "''"] as const] : [])),
    ...cube.measures.map(({ column, type }) => [column, `0::${columnTypes[type]}`] as const),
  ])
  const groups = new Map<string, string[]>()
  for (const [recorded, some] of Map.groupBy(files, (file) => columnsOfLoad(cube, file.columns))) {
    const has = new Set(recorded.split(' '))
    const lacks = columns.filter((column) => empty.has(column) && !has.has(column)).join(' ')
    groups.set(lacks, [...(groups.get(lacks) ?? []), ...some.map(({ path }) => path)])
  }
  const params = Object.fromEntries([...groups.values()].map((paths, index) => [`${parameter}${index || ''}`, paths]))
  if (groups.size === 1 && groups.has('')) return { sql: readParquet(parameter), params }
  const selects = [...groups.keys()].map((lacks, index) => {
    const isLacking = new Set(lacks.split(' '))
    const select = columns.map((column) => (isLacking.has(column) ? `${empty.get(column)} AS ${column}` : column))
    return `SELECT ${select.join(', ')} FROM ${readParquet(`${parameter}${index || ''}`)}`
  })
  return { sql: `(\n${indent(selects.join('\nUNION ALL\n'))}\n)`, params }
}
