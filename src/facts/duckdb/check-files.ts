import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { Cube } from '../../catalog/cube.ts'
import { cubes } from '../../catalog/cubes.ts'
import { inParallel } from '../../concurrency/in-parallel.ts'
import { inspectFile } from '../file-digest.ts'
import type { CheckOptions, Portion, RecordedPortion, Records } from '../facts.ts'
import { fileOfPortion, folderOfLoad, rollupBeside } from './fact-folder.ts'
import { mergedFolder, readMergedName } from './merged-files.ts'

/** While one file is read from the disk, another is summed up. */
const readAtOnce = 4

type Check = CheckOptions & { readonly root: string; readonly cube: Cube; readonly records: Records }

/**
 * Compares the files with the records. Facts come and go meanwhile, so whatever looks wrong is held against the records
 * once more: a file is there before it is on record, and on record as retired until it is gone.
 */
export async function checkFiles(
  root: string,
  recordsOf: (cube: Cube) => Records,
  options: CheckOptions,
): Promise<void> {
  const aliases = cubes.map(({ alias }) => alias)
  const known = [...aliases, 'owner', 'merged']
  for (const path of await listOthers(root, known)) tellStray(root, path, options)
  for (const path of await listOthers(join(root, 'merged'), aliases)) tellStray(root, path, options)
  for (const cube of cubes) {
    const check = { ...options, root, cube, records: recordsOf(cube) }
    await checkLoads(check)
    await checkMerged(check)
  }
}

async function checkLoads(check: Check): Promise<void> {
  const { root, cube, records, signal } = check
  const folder = join(root, cube.alias)
  const names = (await readdir(folder).catch(ignoreMissing)).map((name) => ({ name, isLoad: /^[1-9]\d*$/.test(name) }))
  for (const { name } of names.filter(({ isLoad }) => !isLoad)) tellStray(root, join(folder, name), check)
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
  // What is still visible was so all the time.
  const { visible } = await records.findLoad(load)
  for (const { path } of visible.flatMap((portion) => filesOf(check, portion))) {
    const reason = wrong.get(path)
    if (reason !== undefined) onFinding({ place: placeOf(check.root, path), reason })
  }
}

/** What a load has written for a day: its facts and, where they are many, their rollup. */
function filesOf({ root, cube }: Check, portion: RecordedPortion) {
  const path = fileOfPortion(root, cube, portion)
  const facts = { path, recorded: portion }
  return portion.rollup ? [facts, { path: rollupBeside(path), recorded: portion.rollup }] : [facts]
}

async function findStrays(check: Check, load: number, visible: readonly Portion[]): Promise<void> {
  const { root, cube, records } = check
  const pathsOf = (portions: readonly Portion[]) => {
    const paths = portions.map((portion) => fileOfPortion(root, cube, portion))
    return new Set([...paths, ...paths.map(rollupBeside)])
  }
  const folder = folderOfLoad(root, cube, load)
  const files = new Set(await Array.fromAsync(filesIn(folder)))
  if (files.isSubsetOf(pathsOf(visible))) return
  const record = await records.findLoad(load)
  if (record.mayBeStored) return
  const onRecord = pathsOf([...record.visible, ...record.retired])
  // A load that nobody knows is one finding, however many files it has.
  if (onRecord.size === 0) tellStray(root, folder, check)
  else for (const path of files.difference(onRecord)) tellStray(root, path, check)
}

/** Merged files go with the first of their loads that is removed. One whose loads are all gone stays for ever. */
async function checkMerged(check: Check): Promise<void> {
  const { root, cube, records, signal, onFinding } = check
  for await (const path of filesIn(mergedFolder(root, cube))) {
    signal.throwIfAborted()
    const [, account, day, name = ''] = /\/account=([^/]+)\/day=([^/]+)\/([^/]+)$/.exec(path) ?? []
    const [first = NaN, last = NaN] = name.split('-', 2).map(Number)
    const loads = account !== undefined && day !== undefined ? await records.listLoadsOfDay(account, day) : []
    if (!loads.some((load) => first <= load && load <= last)) {
      tellStray(root, path, check)
      continue
    }
    const merged = readMergedName(name)
    const reason = merged && (await inspectFile(path, { bytes: null, checksum: merged.checksum }))
    if (reason === undefined || !existsSync(path)) continue
    onFinding({ place: placeOf(root, path), reason: `${reason}; its loads hold the same facts, so delete it` })
  }
}

/** Unless it has just been removed. */
function tellStray(root: string, path: string, { onFinding }: CheckOptions): void {
  if (existsSync(path)) onFinding({ place: placeOf(root, path), reason: 'is a stray: it belongs to no load' })
}

const placeOf = (root: string, path: string): string => relative(dirname(root), path)

async function listOthers(folder: string, known: readonly string[]): Promise<readonly string[]> {
  const names = await readdir(folder).catch(ignoreMissing)
  return names.filter((name) => !known.includes(name)).map((name) => join(folder, name))
}

/** A folder that is removed meanwhile has no files any more. */
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
