import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Cube } from '../../catalog/cube.ts'
import { Child } from '../../concurrency/child-process.ts'
import type { Duckdb } from '../../duckdb/open-duckdb.ts'
import { bindParams, readParquet } from '../../duckdb/sql.ts'
import { digestFile, inspectFile } from '../file-digest.ts'
import { mergedEach, nameMerged, readMergedName, type FactFolder } from '../fact-folder.ts'
import type { LoadedDay, Portion, Scope } from '../facts.ts'
import type { MergeOrder } from './merge-child.ts'
import type { OpenedFile } from './opened-files.ts'
import type { StoredFile } from './read-files.ts'
import { removeIfEmpty, syncFolder } from '../sync-tree.ts'

const nothing: ReadonlySet<string> = new Set()

/** The files of a scope: merged ones where there are any, except those to avoid. */
export function filesOf(
  folder: FactFolder,
  cube: Cube,
  { account, visible }: Scope,
  avoided = nothing,
): readonly (StoredFile & OpenedFile)[] {
  return [...Map.groupBy(visible, ({ day }) => day)].flatMap(([day, portions]) => {
    const recorded = new Map(portions.map((portion) => [portion.load, portion]))
    const loads = portions.toSorted((a, b) => a.load - b.load)
    return filesOfDay(folder, cube, { account, day, loads }, avoided).map((file) => {
      const { columns = null, bytes = null } = recorded.get(file.load) ?? {}
      return { ...file, account, day, columns, bytes: file.kind === 'merged' ? null : bytes }
    })
  })
}

/** Each file with its checksum and one of its loads: merged loads have the same columns. */
function filesOfDay(folder: FactFolder, cube: Cube, { account, day, loads }: LoadedDay, avoided = nothing) {
  const merged = folder.findMerged(cube, { account, day, loads }).find(({ path }) => !avoided.has(path))
  const others = loads.slice(merged?.count ?? 0).map(({ load, checksum = null }) => ({
    kind: 'facts' as const,
    path: folder.fileOfPortion(cube, { account, day, load }),
    checksum,
    load,
  }))
  const [first] = loads
  if (!merged || !first) return others
  return [{ kind: 'merged' as const, path: merged.path, checksum: merged.checksum, load: first.load }, ...others]
}

type MergeOptions = { readonly memoryMb: number; readonly spillFolder: string }

/** Merges the loads of each day that has enough of them: the first eight, or sixteen, and so on. */
export async function mergeDays(
  folder: FactFolder,
  cube: Cube,
  days: readonly LoadedDay[],
  { memoryMb, spillFolder }: MergeOptions,
): Promise<void> {
  for (const day of days) await removeUnnamed(folder, cube, day)
  const due = days.flatMap((day) => {
    const loads = day.loads.slice(0, day.loads.length - (day.loads.length % mergedEach))
    const name = nameMerged(loads)
    if (loads.length === 0 || name === undefined) return []
    return folder.findMerged(cube, day)[0]?.count === loads.length ? [] : [{ ...day, loads, name }]
  })
  if (due.length === 0) return
  const duckdb = { memoryMb, threads: 1, spillFolder, folders: [folder.root, spillFolder] }
  for (const { name, ...day } of due) {
    const files = filesOfDay(folder, cube, day)
    // Damage would otherwise get a checksum of its own.
    for (const { path, checksum } of files) {
      const reason = await inspectFile(path, { bytes: null, checksum })
      if (reason !== undefined) throw new Error(`Loads were not merged, because ${path} ${reason}`)
    }
    const draft = join(await mkdtemp(join(spillFolder, 'merge-')), 'merged.parquet')
    await merge({ duckdb, files: files.map(({ path }) => path), target: draft })
    await syncFolder(draft)
    const { checksum } = await digestFile(draft)
    const target = folder.mergedFolderOfDay(cube, day)
    await mkdir(target, { recursive: true, mode: 0o700 })
    await rename(draft, join(target, `${name}-${checksum}.parquet`))
  }
}

async function merge(order: MergeOrder): Promise<void> {
  const child = new Child<MergeOrder, void>(import.meta.url, 'merge-child', {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  try {
    await child.ask(order, { signal: new AbortController().signal, cancelMsMax: 0 })
  } finally {
    child.kill()
    await child.ended
  }
}

/** Removes the merged files of earlier versions, whose names do not say what they hold. */
async function removeUnnamed(folder: FactFolder, cube: Cube, day: Omit<Portion, 'load'>): Promise<void> {
  const merged = folder.mergedFolderOfDay(cube, day)
  const names = await readdir(merged).catch(() => [])
  for (const name of names.filter((each) => !readMergedName(each))) await rm(join(merged, name), { force: true })
}

/** Compares the rows of a merged file with those of the files that it stands for, in any order. */
export async function holdsRowsOf({ connection }: Duckdb, merged: string, files: readonly string[]): Promise<boolean> {
  const digestRows = async (some: readonly string[]): Promise<string> => {
    const sql = `SELECT count(*), sum(hash(facts)) FROM ${readParquet('files')} AS facts`
    const reader = await connection.runAndReadAll(sql, ...bindParams({ files: some }))
    return String(reader.getRows()[0])
  }
  return (await digestRows([merged])) === (await digestRows(files))
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
