import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Cube } from '../../catalog/cube.ts'
import { openDuckdb } from '../../duckdb/open-duckdb.ts'
import { bindParams, copyTo, readParquet } from '../../duckdb/sql.ts'
import { digestFile } from '../file-digest.ts'
import { mergedEach, type FactFolder } from '../fact-folder.ts'
import type { LoadedDay, Portion, Scope } from '../facts.ts'
import type { StoredFile } from './read-files.ts'
import { removeIfEmpty, syncFolder } from '../sync-tree.ts'

/** The files of a scope, merged ones where there are any. */
export function filesOf(folder: FactFolder, cube: Cube, { account, visible }: Scope): readonly StoredFile[] {
  return [...Map.groupBy(visible, ({ day }) => day)].flatMap(([day, portions]) => {
    const columnsOf = new Map(portions.map(({ load, columns }) => [load, columns]))
    const loads = portions.map(({ load }) => load).toSorted((a, b) => a - b)
    return filesOfDay(folder, cube, { account, day, loads }).map(({ path, load }) => ({
      path,
      columns: columnsOf.get(load),
    }))
  })
}

/** Each file with one of its loads: merged loads have the same columns. */
function filesOfDay(folder: FactFolder, cube: Cube, { account, day, loads }: LoadedDay) {
  const merged = folder.findMerged(cube, { account, day, loads })
  const others = loads
    .slice(merged?.count ?? 0)
    .map((load) => ({ path: folder.fileOfPortion(cube, { account, day, load }), load }))
  return merged ? [{ path: merged.path, load: merged.first }, ...others] : others
}

/** Merges all loads of each day that has enough of them and no merged file yet. */
export async function mergeDays(
  folder: FactFolder,
  cube: Cube,
  days: readonly LoadedDay[],
  { memoryMb, spillFolder }: { readonly memoryMb: number; readonly spillFolder: string },
): Promise<void> {
  const due = days.filter(({ loads }) => loads.length % mergedEach === 0)
  if (due.length === 0) return
  await using duckdb = await openDuckdb({ memoryMb, threads: 1, spillFolder, folders: [folder.root, spillFolder] })
  for (const each of due) {
    const day = { ...each, loads: each.loads.toSorted((a, b) => a - b) }
    if (folder.findMerged(cube, day)?.count === day.loads.length) continue
    const draft = join(await mkdtemp(join(spillFolder, 'merge-')), 'merged.parquet')
    const copy = copyTo(draft, `FROM ${readParquet('files')}`)
    await duckdb.connection.run(copy, ...bindParams({ files: filesOfDay(folder, cube, day).map(({ path }) => path) }))
    await syncFolder(draft)
    const { checksum } = await digestFile(draft)
    const target = folder.mergedFolderOfDay(cube, day)
    await mkdir(target, { recursive: true, mode: 0o700 })
    const { loads } = day
    await rename(draft, join(target, `${loads[0]}-${loads.at(-1)}-${loads.length}-${checksum}.parquet`))
  }
}

/** Removes the merged files that hold a load which is removed, or whose number is reused. */
export async function removeMerged(folder: FactFolder, cube: Cube, { account, day, load }: Portion): Promise<void> {
  const merged = folder.mergedFolderOfDay(cube, { account, day })
  const names = await readdir(merged).catch(() => [])
  for (const name of names) {
    const [first = 0, last = 0] = name.split('-', 2).map(Number)
    if (first <= load && load <= last) await rm(join(merged, name), { force: true })
  }
  await removeIfEmpty(merged)
}
