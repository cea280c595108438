import { auctions } from './auctions.ts'
import type { Cube } from './cube.ts'
import { platformPerformance } from './platform-performance.ts'

export const cubes: readonly Cube[] = [auctions, platformPerformance]

/** A cube answers to both of its names, without regard to case. */
export function findCube(name: string): Cube | undefined {
  const wanted = name.toLowerCase()
  return cubes.find((cube) => cube.name === wanted || cube.alias === wanted)
}
