import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { listValue } from '@duckdb/node-api'
import type { Cube } from '../../catalog/cube.ts'
import type { LoadedDay, Portion, Scope } from '../facts.ts'
import { fileOfPortion } from './fact-folder.ts'
import { openDuckdb, quoteText } from './open-duckdb.ts'
import { removeIfEmpty, syncFolder } from './sync-tree.ts'

/**
 * Each file costs a query a fifth of a millisecond, however small it is. A day that is appended to every hour therefore
 * has a file beside those of its loads that stands for the first eight of them, or sixteen, and so on. It is named after
 * the first load, the last and their number, which is enough: of the loads of a day only the oldest are ever taken away.
 */
const mergedEach = 8

const folderOf = (root: string, cube: Cube, { account, day }: Omit<Portion, 'load'>): string =>
  join(root, 'merged', cube.alias, `account=${account}`, `day=${day}`)

const nameOf = (loads: readonly number[]): string => `${loads[0]}-${loads.at(-1)}-${loads.length}.parquet`

/** The files that hold a scope: for days of many loads those that stand for several. */
export function filesOf(root: string, cube: Cube, { account, visible }: Scope): readonly string[] {
  const days = Map.groupBy(visible, ({ day }) => day)
  return [...days].flatMap(([day, portions]) => filesOfDay(root, cube, { account, day, loads: loadsOf(portions) }))
}

const loadsOf = (portions: readonly { readonly load: number }[]): readonly number[] =>
  portions.map(({ load }) => load).toSorted((a, b) => a - b)

function filesOfDay(root: string, cube: Cube, { account, day, loads }: LoadedDay): readonly string[] {
  const fileOf = (load: number): string => fileOfPortion(root, cube, { account, day, load })
  for (let count = loads.length - (loads.length % mergedEach); count > 0; count -= mergedEach) {
    const merged = join(folderOf(root, cube, { account, day }), nameOf(loads.slice(0, count)))
    if (existsSync(merged)) return [merged, ...loads.slice(count).map(fileOf)]
  }
  return loads.map(fileOf)
}

/** Writes what stands for all loads of a day, where it has enough of them and lacks it. */
export async function mergeDays(
  root: string,
  cube: Cube,
  days: readonly LoadedDay[],
  { memoryMb, spillFolder }: { readonly memoryMb: number; readonly spillFolder: string },
): Promise<void> {
  const due = days.filter(({ loads }) => loads.length % mergedEach === 0)
  if (due.length === 0) return
  const { instance, connection } = await openDuckdb({ memoryMb, threads: 1, spillFolder, folders: [root, spillFolder] })
  try {
    for (const each of due) {
      const day = { ...each, loads: each.loads.toSorted((a, b) => a - b) }
      const file = join(folderOf(root, cube, day), nameOf(day.loads))
      if (existsSync(file)) continue
      const draft = join(await mkdtemp(join(spillFolder, 'merge-')), basename(file))
      const files = listValue([...filesOfDay(root, cube, day)])
      const copy = `COPY (SELECT * FROM read_parquet($files, hive_partitioning = false)) TO ${quoteText(draft)} (FORMAT parquet)`
      await connection.run(copy, { files })
      await syncFolder(draft)
      await mkdir(dirname(file), { recursive: true, mode: 0o700 })
      await rename(draft, file)
    }
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

/** Removes what stands for a load that is removed, or whose number is given out again. */
export async function removeMerged(root: string, cube: Cube, { account, day, load }: Portion): Promise<void> {
  const folder = folderOf(root, cube, { account, day })
  const names = await readdir(folder).catch(() => [])
  for (const name of names) {
    const [first = 0, last = 0] = name.split('-').map(Number)
    if (first <= load && load <= last) await rm(join(folder, name), { force: true })
  }
  await removeIfEmpty(folder)
}
