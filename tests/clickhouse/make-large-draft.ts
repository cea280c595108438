import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { inject } from 'vitest'
import type { Cube } from '../../src/catalog/cube.ts'
import { columnTypes } from '../../src/facts/fact-folder.ts'
import { openDuckdb } from '../../src/duckdb/open-duckdb.ts'
import { copyTo, quoteText } from '../../src/duckdb/sql.ts'
import type { Draft, DraftFile } from '../../src/facts/facts.ts'

type FileOfDraft = Omit<DraftFile, 'path'> & {
  /** SQL over `i`, the number of a row, by column. Other columns are missing. */
  readonly columns?: Readonly<Record<string, string>>
}

/** Makes a draft with many facts. */
export async function makeLargeDraft(cube: Cube, load: number, files: readonly FileOfDraft[]): Promise<Draft> {
  const folder = await mkdtemp(join(inject('dataFolder'), 'draft-'))
  const options = { memoryMb: 512, threads: 2, spillFolder: folder, folders: [folder] }
  await using duckdb = await openDuckdb(options)
  const written: DraftFile[] = []
  for (const { columns = {}, ...file } of files) {
    const path = join(folder, `${written.length}.parquet`)
    const select = [
      `${quoteText(file.account)} AS account`,
      ...cube.dimensions.map(({ column, type }) =>
        type === 'date' ? `DATE '${file.day}' AS day` : `(${columns[column] ?? "''"})::VARCHAR AS ${column}`,
      ),
      ...cube.measures.map(({ column, type }) => `(${columns[column] ?? 0})::${columnTypes[type]} AS ${column}`),
      `(${columns.devices ?? '[]'})::UBIGINT[] AS devices`,
    ]
    const rows = `SELECT ${select.join(', ')} FROM range(${file.rows}) AS numbers(i)`
    await duckdb.connection.run(copyTo(path, rows))
    written.push({ ...file, path })
  }
  return { load, cube, folder, files: written }
}
