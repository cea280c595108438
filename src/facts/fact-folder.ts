import { hash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { Cube, Measure } from '../catalog/cube.ts'
import { claimFolder, readOwner } from './claim-folder.ts'
import type { LoadedDay, Portion } from './facts.ts'

/** The types of measures in fact files. Dimensions are text and never null; a missing one is the empty text. */
export const columnTypes: Record<Measure['type'], string> = { count: 'BIGINT', money: 'DECIMAL(18, 6)' }

/**
 * Each file costs a query a fifth of a millisecond, however small it is. Days of many loads therefore have a further file
 * with the facts of their first eight loads, or sixteen, and so on. Its name has a digest of the files in it, because load
 * numbers come again after a restore. It also has the first and the last load, to be removed with them, and its own
 * checksum, because it has no record.
 */
export const mergedEach = 8

/** Not named .parquet, so that reading all Parquet files of a folder does not count facts twice. */
export const rollupBeside = (file: string): string => file.replace(/\.parquet$/, '.rollup')

export const fileInLoad = ({ account, day }: Omit<Portion, 'load'>): string =>
  join(`account=${account}`, `day=${day}`, 'facts_0.parquet')

/** Returns undefined for other names, such as those that earlier versions gave to merged files. */
export function readMergedName(name: string) {
  const [, first, last, digest, checksum] = /^(\d+)-(\d+)-([\da-f]{64})-([\da-f]{64})\.parquet$/.exec(name) ?? []
  if (digest === undefined || checksum === undefined) return undefined
  return { first: Number(first), last: Number(last), digest, checksum }
}

/** The name of the merged file of these loads without its checksum; undefined if a file has no recorded checksum. */
export function nameMerged(loads: LoadedDay['loads']): string | undefined {
  const checksums = loads.flatMap(({ checksum }) => checksum ?? [])
  if (checksums.length < loads.length) return undefined
  return `${loads[0]?.load}-${loads.at(-1)?.load}-${hash('sha256', checksums.join(' '))}`
}

/**
 * The files of facts in a data folder, which never change. Each load has a folder, which is moved into its place in one
 * step, with one file for each account and day. Other readers of Parquet understand the names, which are those of Hive.
 */
export class FactFolder {
  readonly root: string

  constructor(dataFolder: string) {
    this.root = join(dataFolder, 'facts')
  }

  folderOfLoad(cube: Cube, load: number): string {
    return join(this.root, cube.alias, String(load))
  }

  fileOfPortion(cube: Cube, { account, day, load }: Portion): string {
    return join(this.folderOfLoad(cube, load), fileInLoad({ account, day }))
  }

  /** The path of a file as it is reported. */
  placeOf(path: string): string {
    return relative(dirname(this.root), path)
  }

  rollupOfPortion(cube: Cube, portion: Portion): string {
    return rollupBeside(this.fileOfPortion(cube, portion))
  }

  mergedFolder(cube: Cube): string {
    return join(this.root, 'merged', cube.alias)
  }

  mergedFolderOfDay(cube: Cube, { account, day }: Omit<Portion, 'load'>): string {
    return join(this.mergedFolder(cube), `account=${account}`, `day=${day}`)
  }

  /** The merged files that hold exactly the first loads of a day, the one with the most loads first. */
  findMerged(cube: Cube, { account, day, loads }: LoadedDay) {
    if (loads.length < mergedEach) return []
    const folder = this.mergedFolderOfDay(cube, { account, day })
    return namesIn(folder)
      .flatMap((name) => {
        const merged = readMergedName(name)
        const count = loads.findIndex(({ load }) => load === merged?.last) + 1
        if (!merged || count === 0 || !name.startsWith(`${nameMerged(loads.slice(0, count))}-`)) return []
        return [{ count, checksum: merged.checksum, path: join(folder, name) }]
      })
      .toSorted((a, b) => b.count - a.count)
  }

  /**
   * Records the owner of the facts, or checks that the owner is the same. Loads have numbers that are unique only within one
   * control database: with two of them, each would show the facts of the other.
   */
  async claim(owner: string): Promise<void> {
    this.#refuseOthers(await claimFolder(this.root, owner), owner)
  }

  /** Checks that the facts have no other owner, without changing anything. */
  async demandOwner(owner: string): Promise<void> {
    this.#refuseOthers((await this.readOwner()) ?? owner, owner)
  }

  /** Returns undefined for a folder without facts. */
  readOwner(): Promise<string | undefined> {
    return readOwner(this.root)
  }

  #refuseOthers(found: string | undefined, owner: string): void {
    if (found === owner) return
    throw new Error(
      `The facts in ${this.root} belong to other control data: set ADCUBE_DATA_DIR and ADCUBE_DATABASE_URL to the ones ` +
        'that go together, or start with an empty folder.',
    )
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
