import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Cube } from '../catalog/cube.ts'
import { claimFolder, readOwner } from './duckdb/claim-folder.ts'
import { fileOfPortion, folderOfLoad, rollupBeside } from './duckdb/fact-folder.ts'
import { findMerged, mergedFolder } from './duckdb/merged-files.ts'
import type { LoadedDay, Portion } from './facts.ts'

/** The files of facts in a data folder, which never change, for copies of them. */
export function openFactFiles(folder: string) {
  const root = join(folder, 'facts')
  return {
    /** The control data that the facts belong to; undefined if there are no facts. */
    readOwner: () => readOwner(root),
    /** Refuses facts of other control data. */
    async claim(owner: string) {
      await mkdir(root, { recursive: true, mode: 0o700 })
      await claimFolder(root, owner)
    },
    folderOfLoad: (cube: Cube, load: number) => folderOfLoad(root, cube, load),
    fileOfPortion: (cube: Cube, portion: Portion) => fileOfPortion(root, cube, portion),
    rollupOfPortion: (cube: Cube, portion: Portion) => rollupBeside(fileOfPortion(root, cube, portion)),
    /** The file that holds the facts of several loads of a day, if there is one. */
    findMerged: (cube: Cube, day: LoadedDay) => findMerged(root, cube, day),
    mergedFolder: (cube: Cube) => mergedFolder(root, cube),
  }
}
