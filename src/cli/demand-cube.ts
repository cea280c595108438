import type { Cube } from '../catalog/cube.ts'
import { cubes, findCube } from '../catalog/cubes.ts'
import { suggest } from '../query/faults.ts'
import { SettingsError } from './settings.ts'

export function demandCube(name: string): Cube {
  const cube = findCube(name)
  if (cube) return cube
  const names = cubes.map(({ alias }) => alias)
  throw new SettingsError([`There is no cube "${name}".${suggest(name, names)} There are ${names.join(' and ')}.`])
}
