import type { Cube } from '../catalog/cube.ts'
import { cubes, findCube } from '../catalog/cubes.ts'
import { suggest } from '../query/faults.ts'
import { SettingsError } from './settings.ts'

/** The cubes of a flag, by either name, with commas between them; undefined where it was not given. */
export function readCubes(flag: unknown): readonly Cube[] | undefined {
  if (typeof flag !== 'string') return undefined
  const names = [...new Set(flag.split(',').map((name) => name.trim()))]
  const unknown = names.filter((name) => !findCube(name))
  if (unknown.length > 0) {
    const legal = cubes.flatMap(({ name, alias }) => [alias, name])
    throw new SettingsError(unknown.map((name) => `--cubes: "${name}" is not a cube.${suggest(name, legal)}`))
  }
  // In the catalog's order, each once whichever name it goes by.
  return cubes.filter((cube) => names.some((name) => findCube(name) === cube))
}
