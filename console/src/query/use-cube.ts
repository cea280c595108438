import { useSearchParams } from 'wouter'
import type { Cube } from '../../../src/catalog/cube.ts'
import { cubes, findCube } from '../../../src/catalog/cubes.ts'
import { useSession } from '../access/session.tsx'

type CubeChoice = {
  readonly cube: Cube
  /** Those that the account may use. */
  readonly cubes: readonly Cube[]
  readonly choose: (alias: string) => void
}

/** The cube that a page is about: the one of its address, otherwise the account's first. */
export function useCube(): CubeChoice {
  const { account } = useSession()
  const [search, setSearch] = useSearchParams()
  const allowed = cubes.filter(({ name }) => account.cubes.includes(name))
  const named = findCube(search.get('cube') ?? '')
  const cube = allowed.find((each) => each === named) ?? allowed[0] ?? cubes[0]!
  const choose = (alias: string): void => {
    setSearch((before) => ({ ...Object.fromEntries(before), cube: alias }), { replace: true })
  }
  return { cube, cubes: allowed, choose }
}
