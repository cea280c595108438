import { SegmentedControl } from '@mantine/core'
import { cubeLabel } from '../query/cube-label.ts'
import { useCube } from '../query/use-cube.ts'

/** Chooses the cube of the page. Hidden if the account has only one. */
export function CubeSwitch() {
  const { cube, cubes, choose } = useCube()
  if (cubes.length < 2) return null
  return (
    <SegmentedControl
      size="xs"
      aria-label="Cube"
      value={cube.alias}
      onChange={choose}
      data={cubes.map((each) => ({ value: each.alias, label: cubeLabel(each) }))}
    />
  )
}
