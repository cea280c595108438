import { basename, join, relative } from 'node:path'
import { cubes } from '../catalog/cubes.ts'
import { FactFolder } from '../facts/fact-folder.ts'
import { findJob } from '../reports/job.ts'
import { listReports, type StoredReport } from '../reports/stored-reports.ts'
import type { Store } from '../store/open-store.ts'
import type { Wanted } from './put-file.ts'
import { findVisibleDays, listVisibleLoads } from './visible-days.ts'

/** The folders of an installation or a backup. */
export type DataFolders = { readonly folder: string; readonly reportsFolder: string }

/** The files to copy into one folder. */
export type Group = {
  readonly kind: 'load' | 'merged' | 'reports'
  /** The target folder. */
  readonly folder: string
  readonly files: readonly Wanted[]
}

export type Stores = {
  /** Names all files to copy. */
  readonly store: Store
  /** Names the files of an earlier copy; undefined if there is none. */
  readonly before: Store | undefined
}

type Recorded = { readonly bytes: number | null; readonly checksum: string | null }

/** For paths below a data folder. */
const paths = new FactFolder('')

/** Lists every file that the control data name, with its source and its target. */
export async function* listFiles({ store, before }: Stores, from: DataFolders, to: DataFolders): AsyncGenerator<Group> {
  const wanted = (path: string, { bytes, checksum }: Recorded, before: Wanted['before']): Wanted => ({
    source: join(from.folder, path),
    target: join(to.folder, path),
    bytes,
    checksum,
    before,
  })
  for (const cube of cubes) {
    for (const load of await listVisibleLoads(store, cube.name)) {
      const earlier = before ? await findVisibleDays(before, cube.name, load) : []
      const known = new Map(earlier.map((portion) => [paths.fileOfPortion(cube, portion), portion]))
      const files = (await findVisibleDays(store, cube.name, load)).flatMap((portion) => {
        const path = paths.fileOfPortion(cube, portion)
        const before = known.get(path)
        const facts = wanted(path, portion, compare(before, portion))
        const { rollup } = portion
        if (!rollup) return [facts]
        return [facts, wanted(paths.rollupOfPortion(cube, portion), rollup, compare(before?.rollup, rollup))]
      })
      yield { kind: 'load', folder: join(to.folder, paths.folderOfLoad(cube, load)), files }
    }
    // Merged files can be made again, but that takes longer. Those that include later loads are left out.
    const files: Wanted[] = []
    for await (const day of listLongDays(store, cube.name)) {
      const [merged] = new FactFolder(from.folder).findMerged(cube, day)
      if (!merged) continue
      // The name contains the checksum, so a file of the same name is the same file.
      files.push(wanted(relative(from.folder, merged.path), { bytes: null, checksum: merged.checksum }, 'same'))
    }
    yield { kind: 'merged', folder: join(to.folder, paths.mergedFolder(cube)), files }
  }
  const files: Wanted[] = []
  for await (const report of listReports(store)) {
    const name = basename(report.file)
    const known = before && (await findReport(before, report))
    // The size and checksum on record are those of the uncompressed CSV.
    const unrecorded = { bytes: null, checksum: null, before: compare(known, report) }
    files.push({ source: join(from.reportsFolder, name), target: join(to.reportsFolder, name), ...unrecorded })
  }
  yield { kind: 'reports', folder: to.reportsFolder, files }
}

async function findReport(before: Store, { id, file }: StoredReport): Promise<Recorded | undefined> {
  const job = await findJob(before, id)
  return job?.file === file ? job : undefined
}

function compare(known: Recorded | null | undefined, wanted: Recorded): Wanted['before'] {
  if (!known) return 'none'
  return known.bytes === wanted.bytes && known.checksum === wanted.checksum ? 'same' : 'other'
}

/** Lists the days that several loads make up, with their loads in order. */
async function* listLongDays(store: Store, cube: string) {
  const days = await store
    .selectFrom('visibleLoads')
    .select(['cube', 'accountId', 'day'])
    .where('cube', '=', cube)
    .groupBy(['cube', 'accountId', 'day'])
    .having((sql) => sql(sql.fn.countAll(), '>', 1))
    .execute()
  for (const day of days) {
    const loads = await store
      .selectFrom('visibleLoads')
      .select(['loadId as load', 'checksum'])
      .where((row) => row.and(day))
      .orderBy('loadId')
      .execute()
    yield { account: day.accountId, day: day.day, loads }
  }
}
