import { Stack, Table, Text, VisuallyHidden } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { Cube } from '../../../src/catalog/cube.ts'
import { calls } from '../api/calls.ts'
import { Failed } from '../parts/failed.tsx'
import { ShowMore } from '../parts/show-more.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { WideTable } from '../parts/wide-table.tsx'
import { LoadRow } from './load-row.tsx'
import { NoData } from './no-data.tsx'

/** Lists the loads behind the loaded days, newest first. */
export function Loads({ cube }: { readonly cube: Cube }) {
  const list = useInfiniteQuery({
    queryKey: ['loads', cube.alias],
    queryFn: ({ pageParam, signal }) => calls.loads(cube.alias, pageParam ? { before: pageParam } : {}, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
  })
  const { data, error, refetch } = list
  if (!data) {
    if (error) return <Failed error={error} onRetry={() => void refetch()} />
    return <Waiting what="Looking up the loads" height={320} />
  }
  const loads = data.pages.flatMap((page) => page.data)
  if (loads.length === 0) return <NoData cube={cube} />
  return (
    <Stack gap="sm">
      <Text size="sm">
        The loads that make up this account’s days. One whose days were all replaced by later loads is not listed.
      </Text>
      <WideTable label="Loads" minWidth={760}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col" w={36}>
              <VisuallyHidden>Details</VisuallyHidden>
            </Table.Th>
            <Table.Th scope="col">Finished</Table.Th>
            <Table.Th scope="col">By</Table.Th>
            <Table.Th scope="col">Mode</Table.Th>
            <Table.Th scope="col">Days</Table.Th>
            <Table.Th scope="col" className="number">
              Rows
            </Table.Th>
            <Table.Th scope="col">Files</Table.Th>
            <Table.Th scope="col">Warnings</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {loads.map((load) => (
            <LoadRow key={load.id} load={load} />
          ))}
        </Table.Tbody>
      </WideTable>
      <ShowMore list={list} />
    </Stack>
  )
}
