import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Cube } from '../catalog/cube.ts'
import { claimFolder, readOwner } from './duckdb/claim-folder.ts'
import { fileOfPortion, folderOfLoad, rollupBeside } from './duckdb/fact-folder.ts'
import { findMerged, mergedFolder } from './duckdb/merged-files.ts'
import type { LoadedDay, Portion } from './facts.ts'

/** The facts in a data folder as files that never change, to be copied. No engine is needed for that. */
export type FactFiles = {
  /** Of the control data to which the facts belong; undefined where there are none. */
  readOwner(): Promise<string | undefined>
  /** Refuses facts of other control data. */
  claim(owner: string): Promise<void>
  folderOfLoad(cube: Cube, load: number): string
  fileOfPortion(cube: Cube, portion: Portion): string
  rollupOfPortion(cube: Cube, portion: Portion): string
  /** The file that stands for several loads of a day, where there is one. Its loads hold the same facts. */
  findMerged(cube: Cube, day: LoadedDay): { readonly path: string; readonly checksum: string } | undefined
  mergedFolder(cube: Cube): string
}

export function openFactFiles(folder: string): FactFiles {
  const root = join(folder, 'facts')
  return {
    readOwner: () => readOwner(root),
    async claim(owner) {
      await mkdir(root, { recursive: true, mode: 0o700 })
      await claimFolder(root, owner)
    },
    folderOfLoad: (cube, load) => folderOfLoad(root, cube, load),
    fileOfPortion: (cube, portion) => fileOfPortion(root, cube, portion),
    rollupOfPortion: (cube, portion) => rollupBeside(fileOfPortion(root, cube, portion)),
    findMerged: (cube, day) => findMerged(root, cube, day),
    mergedFolder: (cube) => mergedFolder(root, cube),
  }
}
