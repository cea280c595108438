import { Anchor, Table } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { Cube } from '../../../src/catalog/cube.ts'
import { calls } from '../api/calls.ts'
import { WarningCount } from '../data/warning-count.tsx'
import { Failed } from '../parts/failed.tsx'
import { formatCount, formatDays, formatTime, none } from '../parts/format.ts'
import { Section } from '../parts/section.tsx'
import { WideTable } from '../parts/wide-table.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { retryFailed } from './retry-failed.ts'

const loadsMax = 5

/** Lists the last loads with visible facts of the account. */
export function RecentLoads({ cube: { alias } }: { readonly cube: Cube }) {
  const { data, error } = useQuery({
    queryKey: ['loads', alias, 'recent'],
    queryFn: ({ signal }) => calls.loads(alias, { limit: loadsMax }, { signal }),
  })
  return (
    <Section
      title="Recent loads"
      actions={
        <Anchor component={Link} href={`/data/loads?cube=${alias}`} size="sm">
          See all loads
        </Anchor>
      }
    >
      {error && !data && <Failed error={error} onRetry={retryFailed} />}
      {!error && !data && <Waiting what="Looking up the loads" height={220} />}
      {data && (
        <WideTable label="Recent loads" minWidth={420}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">Finished</Table.Th>
              <Table.Th scope="col">Days</Table.Th>
              <Table.Th scope="col" className="number">
                Rows
              </Table.Th>
              <Table.Th scope="col">Warnings</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {data.data.map((load) => (
              <Table.Tr key={load.id}>
                <Table.Td className="nowrap">{formatTime(load.finished_at)}</Table.Td>
                <Table.Td className="nowrap">{formatDays(load.first_day, load.last_day)}</Table.Td>
                <Table.Td className="number">{load.rows === null ? none : formatCount(load.rows)}</Table.Td>
                <Table.Td>
                  <WarningCount load={load} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </WideTable>
      )}
    </Section>
  )
}
