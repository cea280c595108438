import { CloseButton, Stack, Text, TextInput } from '@mantine/core'
import { MagnifyingGlassIcon } from '@radix-ui/react-icons'
import { useSearchParams } from 'wouter'
import type { Cube } from '../../../src/catalog/cube.ts'
import { Empty } from '../parts/empty.tsx'
import { DimensionTable } from './dimension-table.tsx'
import { findFields } from './find-fields.ts'
import { MeasureTable } from './measure-table.tsx'
import { MetricTable } from './metric-table.tsx'

/** Lists all fields of a cube. */
export function Fields({ cube }: { readonly cube: Cube }) {
  const [address, setAddress] = useSearchParams()
  const search = address.get('search') ?? ''
  const setSearch = (text: string): void => {
    const { search: _, ...others } = Object.fromEntries(address)
    setAddress(text === '' ? others : { ...others, search: text }, { replace: true })
  }
  const metrics = findFields(cube.metrics, search)
  const dimensions = findFields(cube.dimensions, search)
  const measures = findFields(
    cube.measures.map(({ column, ...measure }) => ({ ...measure, name: column })),
    search,
  )
  const count = metrics.length + dimensions.length + measures.length
  return (
    <Stack gap="md">
      <Text size="sm">{`${cube.description} Queries name it ${cube.alias} or ${cube.name}. A fraction of 0.0123 is 1.23%.`}</Text>
      <TextInput
        label="Search the fields"
        placeholder="A name, or a word of its description"
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
        leftSection={<MagnifyingGlassIcon aria-hidden />}
        rightSection={search !== '' && <CloseButton size="sm" aria-label="Clear" onClick={() => setSearch('')} />}
        maw={420}
      />
      <Text size="sm" role="status" hidden={search === ''}>
        {count === 1 ? '1 field' : `${count} fields`}
      </Text>
      {count === 0 && <Empty title={`No field matches “${search}”`}>Use fewer words, or part of a word.</Empty>}
      {metrics.length > 0 && <MetricTable cube={cube} metrics={metrics} />}
      {dimensions.length > 0 && <DimensionTable cube={cube} dimensions={dimensions} />}
      {measures.length > 0 && <MeasureTable measures={measures} />}
    </Stack>
  )
}
