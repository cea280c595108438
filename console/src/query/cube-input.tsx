import { Input, SegmentedControl } from '@mantine/core'
import type { Cube } from '../../../src/catalog/cube.ts'
import { findCube } from '../../../src/catalog/cubes.ts'
import { useSession } from '../access/session.tsx'
import { cubeLabel } from './cube-label.ts'

type Props = { readonly value: Cube; readonly onChange: (cube: Cube) => void }

/** Offers the cubes that the account may use. */
export function CubeInput({ value, onChange }: Props) {
  const { account } = useSession()
  const choose = (alias: string): void => {
    const cube = findCube(alias)
    if (cube) onChange(cube)
  }
  return (
    <Input.Wrapper size="xs" label="Cube" labelElement="div">
      <SegmentedControl
        fullWidth
        size="xs"
        aria-label="Cube"
        data={account.cubes
          .flatMap((name) => findCube(name) ?? [])
          .map((cube) => ({ value: cube.alias, label: cubeLabel(cube) }))}
        value={value.alias}
        onChange={choose}
      />
    </Input.Wrapper>
  )
}
