import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Cube } from '../../catalog/cube.ts'
import { cubes } from '../../catalog/cubes.ts'
import { inParallel } from '../../concurrency/in-parallel.ts'
import type { Duckdb } from '../../duckdb/open-duckdb.ts'
import { inspectFile } from '../file-digest.ts'
import { readMergedName, rollupBeside, type FactFolder } from '../fact-folder.ts'
import type { CheckOptions, LoadRecord, Portion, RecordedPortion, Records } from '../facts.ts'
import { holdsRowsOf } from './merged-files.ts'

/** While one file is read, another is hashed. */
const readAtOnce = 4

/** Opens an engine to compare merged files with those of their loads. */
type OpenEngine = () => Promise<Duckdb>

type Check = CheckOptions & {
  readonly openEngine: OpenEngine
  readonly folder: FactFolder
  readonly root: string
  readonly cube: Cube
  readonly records: Records
}

/**
 * Compares the files with the records. Both change meanwhile, so each difference is checked against new records: a file
 * is stored before it is recorded, and recorded as retired until it is removed.
 */
export async function checkFiles(
  folder: FactFolder,
  recordsOf: (cube: Cube) => Records,
  options: CheckOptions & { readonly openEngine: OpenEngine },
): Promise<void> {
  const { root } = folder
  const aliases = cubes.map(({ alias }) => alias)
  const known = [...aliases, 'owner', 'merged']
  for (const path of await listOthers(root, known)) reportStray(folder, path, options)
  for (const path of await listOthers(join(root, 'merged'), aliases)) reportStray(folder, path, options)
  for (const cube of cubes) {
    const check = { ...options, folder, root, cube, records: recordsOf(cube) }
    await checkLoads(check)
    await checkMerged(check)
  }
}

async function checkLoads(check: Check): Promise<void> {
  const { folder, root, cube, records, signal } = check
  const ofCube = join(root, cube.alias)
  const names = (await readdir(ofCube).catch(ignoreMissing)).map((name) => ({ name, isLoad: /^[1-9]\d*$/.test(name) }))
  for (const { name } of names.filter(({ isLoad }) => !isLoad)) reportStray(folder, join(ofCube, name), check)
  const stored = names.filter(({ isLoad }) => isLoad).map(({ name }) => Number(name))
  const loads = new Set([...(await records.listLoads()), ...stored])
  for (const load of [...loads].toSorted((a, b) => a - b)) {
    signal.throwIfAborted()
    const { visible } = await records.findLoad(load)
    await checkPortions(check, load, visible)
    await findStrays(check, load, visible)
  }
}

async function checkPortions(check: Check, load: number, portions: readonly RecordedPortion[]): Promise<void> {
  const { records, signal, onFinding, onChecked } = check
  const wrong = new Map<string, string>()
  await inParallel(portions, readAtOnce, async (portion) => {
    signal.throwIfAborted()
    for (const { path, recorded } of filesOf(check, portion)) {
      const reason = await inspectFile(path, recorded)
      if (reason !== undefined) wrong.set(path, reason)
    }
    onChecked(portion.checksum !== null)
  })
  if (wrong.size === 0) return
  await records.renew()
  // A portion that is visible before and after was visible all the time.
  const { visible } = await records.findLoad(load)
  for (const { path } of visible.flatMap((portion) => filesOf(check, portion))) {
    const reason = wrong.get(path)
    if (reason !== undefined) onFinding({ place: check.folder.placeOf(path), reason })
  }
}

/** The files of a portion: its facts and their rollup, if there is one. */
function filesOf({ folder, cube }: Check, portion: RecordedPortion) {
  const path = folder.fileOfPortion(cube, portion)
  const facts = { path, recorded: portion }
  return portion.rollup ? [facts, { path: rollupBeside(path), recorded: portion.rollup }] : [facts]
}

async function findStrays(check: Check, load: number, visible: readonly Portion[]): Promise<void> {
  const { folder, cube, records } = check
  const pathsOf = (portions: readonly Portion[]) => {
    const paths = portions.map((portion) => folder.fileOfPortion(cube, portion))
    return new Set([...paths, ...paths.map(rollupBeside)])
  }
  const ofLoad = folder.folderOfLoad(cube, load)
  const files = new Set(await Array.fromAsync(filesIn(ofLoad)))
  if (files.isSubsetOf(pathsOf(visible))) return
  let record = await records.findLoad(load)
  const isOnRecord = ({ mayBeStored, visible, retired }: LoadRecord): boolean =>
    mayBeStored || files.isSubsetOf(pathsOf([...visible, ...retired]))
  if (isOnRecord(record)) return
  await records.renew()
  record = await records.findLoad(load)
  if (isOnRecord(record)) return
  const onRecord = pathsOf([...record.visible, ...record.retired])
  // An unknown load is one finding, however many files it has.
  if (onRecord.size === 0) reportStray(folder, ofLoad, check)
  else for (const path of files.difference(onRecord)) reportStray(folder, path, check)
}

/**
 * A merged file must hold exactly the first visible loads of its day. One with a retired load is removed with it, and one of
 * an earlier version is not used, and removed when its day is merged again.
 */
async function checkMerged(check: Check): Promise<void> {
  const { folder, cube, records, signal, onFinding, openEngine } = check
  await using stack = new AsyncDisposableStack()
  let engine: Duckdb | undefined
  for await (const path of filesIn(folder.mergedFolder(cube))) {
    signal.throwIfAborted()
    let found = await findMerged(check, path)
    if (found.isStray) {
      await records.renew()
      found = await findMerged(check, path)
      if (found.isStray) reportStray(folder, path, check)
    }
    if (!found.merged) continue
    const { checksum, files } = found.merged
    const damage = await inspectFile(path, { bytes: null, checksum })
    engine ??= stack.use(await openEngine())
    // A file of a load that cannot be read is a finding of its own.
    const isSame = damage !== undefined || (await holdsRowsOf(engine, path, files).catch(() => true))
    const reason = damage ?? (isSame ? undefined : 'has other facts than its loads')
    if (reason === undefined || !existsSync(path)) continue
    onFinding({ place: folder.placeOf(path), reason: `${reason}; its loads hold the right facts, so delete it` })
  }
}

/** Finds the files that a merged file stands for, if queries use it. */
async function findMerged({ folder, cube, records }: Check, path: string) {
  const [, account = '', day = '', name = ''] = /\/account=([^/]+)\/day=([^/]+)\/([^/]+)$/.exec(path) ?? []
  const { loads, retired } = await records.findDay(account, day)
  const merged = folder.findMerged(cube, { account, day, loads }).find((each) => each.path === path)
  if (merged) {
    const files = loads.slice(0, merged.count).map(({ load }) => folder.fileOfPortion(cube, { account, day, load }))
    return { merged: { ...merged, files }, isStray: false }
  }
  const [first = NaN, last = NaN] = name.split('-', 2).map(Number)
  const removed = [...retired, ...(readMergedName(name) ? [] : loads.map(({ load }) => load))]
  return { merged, isStray: !removed.some((load) => first <= load && load <= last) }
}

function reportStray(folder: FactFolder, path: string, { onFinding }: CheckOptions): void {
  // It may have been removed meanwhile.
  if (existsSync(path)) onFinding({ place: folder.placeOf(path), reason: 'is a stray: it belongs to no load' })
}

async function listOthers(folder: string, known: readonly string[]): Promise<readonly string[]> {
  const names = await readdir(folder).catch(ignoreMissing)
  return names.filter((name) => !known.includes(name)).map((name) => join(folder, name))
}

async function* filesIn(folder: string): AsyncGenerator<string> {
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(ignoreMissing)) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* filesIn(path)
    else yield path
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): never[] {
  if (error.code !== 'ENOENT') throw error
  return []
}
