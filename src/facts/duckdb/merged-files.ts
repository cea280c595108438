import { readdirSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Cube } from '../../catalog/cube.ts'
import { openDuckdb } from '../../duckdb/open-duckdb.ts'
import { bindParams, copyTo, readParquet } from '../../duckdb/sql.ts'
import { digestFile } from '../file-digest.ts'
import type { LoadedDay, Portion, Scope } from '../facts.ts'
import { fileOfPortion } from './fact-folder.ts'
import type { StoredFile } from './read-files.ts'
import { removeIfEmpty, syncFolder } from '../sync-tree.ts'

/**
 * Each file costs a query a fifth of a millisecond, however small it is. Days of many loads therefore have a further file
 * with the facts of their first eight loads, or sixteen, and so on. Its name has the first load, the last load and their
 * number, which is enough because only the oldest loads of a day are ever removed. It also has the checksum, because the
 * file has no record.
 */
const mergedEach = 8

export const mergedFolder = (root: string, cube: Cube): string => join(root, 'merged', cube.alias)

const folderOf = (root: string, cube: Cube, { account, day }: Omit<Portion, 'load'>): string =>
  join(mergedFolder(root, cube), `account=${account}`, `day=${day}`)

/** Returns undefined for other names. */
export function readMergedName(name: string) {
  const [, first, last, count, checksum] = /^(\d+)-(\d+)-(\d+)-([\da-f]{64})\.parquet$/.exec(name) ?? []
  if (checksum === undefined) return undefined
  return { first: Number(first), last: Number(last), count: Number(count), checksum }
}

/** The files of a scope, merged ones where there are any. */
export function filesOf(root: string, cube: Cube, { account, visible }: Scope): readonly StoredFile[] {
  return [...Map.groupBy(visible, ({ day }) => day)].flatMap(([day, portions]) => {
    const columnsOf = new Map(portions.map(({ load, columns }) => [load, columns]))
    const loads = portions.map(({ load }) => load).toSorted((a, b) => a - b)
    return filesOfDay(root, cube, { account, day, loads }).map(({ path, load }) => ({
      path,
      columns: columnsOf.get(load),
    }))
  })
}

/** Each file with one of its loads: merged loads have the same columns. */
function filesOfDay(root: string, cube: Cube, { account, day, loads }: LoadedDay) {
  const merged = findMerged(root, cube, { account, day, loads })
  const others = loads
    .slice(merged?.count ?? 0)
    .map((load) => ({ path: fileOfPortion(root, cube, { account, day, load }), load }))
  return merged ? [{ path: merged.path, load: merged.first }, ...others] : others
}

/** The merged file of the most loads of a day, which must be sorted. */
export function findMerged(root: string, cube: Cube, { account, day, loads }: LoadedDay) {
  if (loads.length < mergedEach) return undefined
  const folder = folderOf(root, cube, { account, day })
  return namesIn(folder)
    .flatMap((name) => {
      const merged = readMergedName(name)
      if (!merged || merged.first !== loads[0] || merged.last !== loads[merged.count - 1]) return []
      return [{ ...merged, path: join(folder, name) }]
    })
    .toSorted((a, b) => b.count - a.count)[0]
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Merges all loads of each day that has enough of them and no merged file yet. */
export async function mergeDays(
  root: string,
  cube: Cube,
  days: readonly LoadedDay[],
  { memoryMb, spillFolder }: { readonly memoryMb: number; readonly spillFolder: string },
): Promise<void> {
  const due = days.filter(({ loads }) => loads.length % mergedEach === 0)
  if (due.length === 0) return
  await using duckdb = await openDuckdb({ memoryMb, threads: 1, spillFolder, folders: [root, spillFolder] })
  for (const each of due) {
    const day = { ...each, loads: each.loads.toSorted((a, b) => a - b) }
    if (findMerged(root, cube, day)?.count === day.loads.length) continue
    const draft = join(await mkdtemp(join(spillFolder, 'merge-')), 'merged.parquet')
    const copy = copyTo(draft, `FROM ${readParquet('files')}`)
    await duckdb.connection.run(copy, ...bindParams({ files: filesOfDay(root, cube, day).map(({ path }) => path) }))
    await syncFolder(draft)
    const { checksum } = await digestFile(draft)
    const folder = folderOf(root, cube, day)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const { loads } = day
    await rename(draft, join(folder, `${loads[0]}-${loads.at(-1)}-${loads.length}-${checksum}.parquet`))
  }
}

/** Removes the merged files that hold a load which is removed, or whose number is reused. */
export async function removeMerged(root: string, cube: Cube, { account, day, load }: Portion): Promise<void> {
  const folder = folderOf(root, cube, { account, day })
  const names = await readdir(folder).catch(() => [])
  for (const name of names) {
    const [first = 0, last = 0] = name.split('-', 2).map(Number)
    if (first <= load && load <= last) await rm(join(folder, name), { force: true })
  }
  await removeIfEmpty(folder)
}
