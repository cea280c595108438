import { auctions } from './auctions.ts'
import type { Cube } from './cube.ts'
import { platformPerformance } from './platform-performance.ts'

const all = [auctions, platformPerformance] as const

export const cubes: readonly Cube[] = all

/** The cubes by their short names, for types. */
export type Cubes = { readonly [Each in (typeof all)[number] as Each['alias']]: Each }

/** Finds a cube by either of its names, in any case. */
export function findCube(name: string): Cube | undefined {
  const wanted = name.toLowerCase()
  return cubes.find((cube) => cube.name === wanted || cube.alias === wanted)
}
