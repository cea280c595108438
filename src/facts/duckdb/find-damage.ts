import { rm } from 'node:fs/promises'
import type { Cube } from '../../catalog/cube.ts'
import { inspectFile } from '../file-digest.ts'
import { rollupBeside, type FactFolder } from '../fact-folder.ts'
import type { Damage, RecordedDay } from '../facts.ts'

/** Reads all files of a day, and removes a damaged merged file, which can be made again. */
export async function findDamage(
  folder: FactFolder,
  cube: Cube,
  { account, day, portions }: RecordedDay,
): Promise<readonly Damage[]> {
  const damages: Damage[] = []
  const inspect = async (
    load: number,
    path: string,
    recorded: Parameters<typeof inspectFile>[1],
  ): Promise<string | undefined> => {
    const reason = await inspectFile(path, recorded)
    const place = folder.placeOf(path)
    if (reason !== undefined) damages.push({ cube: cube.name, account, day, load, place, reason })
    return reason
  }
  for (const portion of portions) {
    const path = folder.fileOfPortion(cube, portion)
    await inspect(portion.load, path, portion)
    if (portion.rollup) await inspect(portion.load, rollupBeside(path), portion.rollup)
  }
  for (const { path, checksum } of folder.findMerged(cube, { account, day, loads: portions })) {
    const reason = await inspect(portions[0]?.load ?? 0, path, { bytes: null, checksum })
    if (reason !== undefined) await rm(path, { force: true })
  }
  return damages
}
