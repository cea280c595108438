import { basename, join } from 'node:path'
import { cubes } from '../catalog/cubes.ts'
import type { Cube } from '../catalog/cube.ts'
import { openFactFiles } from '../facts/fact-files.ts'
import { listReports, type StoredReport } from '../store/stored-reports.ts'
import { findJob } from '../store/jobs.ts'
import type { Store } from '../store/open-store.ts'
import { findVisibleDays, listLongDays, listVisibleLoads } from '../store/visible-loads.ts'
import type { Wanted } from './put-file.ts'

/** Where facts and reports are, as they are in a data folder. */
export type Place = { readonly folder: string; readonly reportsFolder: string }

/** Files that go into one folder. */
export type Group = {
  readonly kind: 'load' | 'merged' | 'reports'
  /** Of the target. */
  readonly folder: string
  readonly files: readonly Wanted[]
}

type Stores = {
  /** Names all files that are wanted. */
  readonly store: Store
  /** Names what the target has already; undefined where that is nothing. */
  readonly before: Store | undefined
}

/** Every file that the control data names, and where it is and goes. */
export async function* listFiles(stores: Stores, from: Place, to: Place): AsyncGenerator<Group> {
  for (const cube of cubes) {
    for (const load of await listVisibleLoads(stores.store, cube.name)) yield listLoad(stores, cube, load, from, to)
    yield listMerged(stores.store, cube, from, to)
  }
  yield listReportFiles(stores, from, to)
}

async function listLoad({ store, before }: Stores, cube: Cube, load: number, from: Place, to: Place): Promise<Group> {
  const [source, target] = [openFactFiles(from.folder), openFactFiles(to.folder)]
  const known = new Map(
    (before ? await findVisibleDays(before, cube.name, load) : []).map((day) => [`${day.account} ${day.day}`, day]),
  )
  const files = (await findVisibleDays(store, cube.name, load)).flatMap((portion): Wanted[] => {
    const before = known.get(`${portion.account} ${portion.day}`)
    const facts = {
      source: source.fileOfPortion(cube, portion),
      target: target.fileOfPortion(cube, portion),
      bytes: portion.bytes,
      checksum: portion.checksum,
      before: compare(before, portion),
    }
    if (!portion.rollup) return [facts]
    const rollup = {
      source: source.rollupOfPortion(cube, portion),
      target: target.rollupOfPortion(cube, portion),
      bytes: portion.rollup.bytes,
      checksum: portion.rollup.checksum,
      before: compare(before?.rollup ?? undefined, portion.rollup),
    }
    return [facts, rollup]
  })
  return { kind: 'load', folder: target.folderOfLoad(cube, load), files }
}

/** Merged files can be made again, but that takes longer. Those that stand for later loads stay out. */
async function listMerged(store: Store, cube: Cube, from: Place, to: Place): Promise<Group> {
  const [source, target] = [openFactFiles(from.folder), openFactFiles(to.folder)]
  const folder = target.mergedFolder(cube)
  const files: Wanted[] = []
  for await (const day of listLongDays(store, cube.name)) {
    const merged = source.findMerged(cube, day)
    if (merged === undefined) continue
    const { path, checksum } = merged
    // Its name has its checksum, so what has its name is the same.
    files.push({ source: path, target: join(to.folder, relativeTo(from, path)), bytes: null, checksum, before: 'same' })
  }
  return { kind: 'merged', folder, files }
}

const relativeTo = ({ folder }: Place, path: string): string => path.slice(folder.length + 1)

async function listReportFiles({ store, before }: Stores, from: Place, to: Place): Promise<Group> {
  const files: Wanted[] = []
  for await (const report of listReports(store)) {
    const known: StoredReport | undefined = before && (await findReport(before, report))
    files.push({
      source: join(from.reportsFolder, basename(report.file)),
      target: join(to.reportsFolder, basename(report.file)),
      // What is on record is of the CSV in it.
      bytes: null,
      checksum: null,
      before: compare(known, report),
    })
  }
  return { kind: 'reports', folder: to.reportsFolder, files }
}

async function findReport(before: Store, { id, file }: StoredReport): Promise<StoredReport | undefined> {
  const job = await findJob(before, id)
  return job?.file === file ? { ...job, file } : undefined
}

type Recorded = { readonly bytes: number | null; readonly checksum: string | null }

function compare(known: Recorded | undefined, wanted: Recorded): Wanted['before'] {
  if (!known) return 'none'
  return known.bytes === wanted.bytes && known.checksum === wanted.checksum ? 'same' : 'other'
}
