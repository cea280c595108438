import { join } from 'node:path'
import type { Cube, Measure } from '../../catalog/cube.ts'
import type { Portion } from '../facts.ts'

/** The types of measures in fact files. Dimensions are text and never null; a missing one is the empty text. */
export const columnTypes: Record<Measure['type'], string> = { count: 'BIGINT', money: 'DECIMAL(18, 6)' }

/**
 * Each load has a folder, which is moved into its place in one step, with one file for each account and day. Other readers
 * of Parquet understand the names, which are those of Hive.
 */
export const folderOfLoad = (root: string, cube: Cube, load: number): string => join(root, cube.alias, String(load))

export const fileOfPortion = (root: string, cube: Cube, { account, day, load }: Portion): string =>
  join(folderOfLoad(root, cube, load), fileInLoad({ account, day }))

/** Not named .parquet, so that reading all Parquet files of a folder does not count facts twice. */
export const rollupBeside = (file: string): string => file.replace(/\.parquet$/, '.rollup')

export const fileInLoad = ({ account, day }: Omit<Portion, 'load'>): string =>
  join(`account=${account}`, `day=${day}`, 'facts_0.parquet')
