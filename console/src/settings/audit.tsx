import { Table } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useSearchParams } from 'wouter'
import { calls, type AuditEntry } from '../api/calls.ts'
import { Empty } from '../parts/empty.tsx'
import { Failed } from '../parts/failed.tsx'
import { formatTime } from '../parts/format.ts'
import { ShowMore } from '../parts/show-more.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { WideTable } from '../parts/wide-table.tsx'
import { readAuditFilter, type AuditFilter } from './audit-filter.ts'
import { AuditFilters } from './audit-filters.tsx'
import { actionWords } from './audit-words.ts'
import { Section } from './section.tsx'

/** Lists the changes of the account, newest first. */
export function Audit() {
  const [search, setSearch] = useSearchParams()
  const filter = readAuditFilter(search)
  const isReversed = filter.from !== undefined && filter.to !== undefined && filter.to < filter.from
  const list = useInfiniteQuery({
    queryKey: ['audit', filter],
    queryFn: ({ pageParam, signal }) =>
      calls.audit({ ...filter, ...(pageParam !== null && { before: pageParam }) }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    enabled: !isReversed,
    // Show the newest entries each time the page opens.
    staleTime: 0,
  })
  const changeFilter = (changed: AuditFilter): void => {
    const given = Object.entries(changed).filter(([, value]) => value !== '')
    setSearch(new URLSearchParams(given), { replace: true })
  }
  const entries = list.data?.pages.flatMap(({ data }) => data) ?? []
  return (
    <Section
      title="Audit trail"
      about="Who changed what: keys, people, sign-ins and the account itself. Entries are kept for 25 months."
    >
      <AuditFilters filter={filter} onChange={changeFilter} />
      {list.isLoading && <Waiting what="Loading the audit trail" />}
      {list.error && !list.data && <Failed error={list.error} onRetry={() => void list.refetch()} />}
      {list.data && entries.length === 0 && <Nothing isFiltered={Object.keys(filter).length > 0} />}
      {entries.length > 0 && <Entries entries={entries} />}
      <ShowMore list={list} />
    </Section>
  )
}

function Nothing({ isFiltered }: { readonly isFiltered: boolean }) {
  if (!isFiltered) return <Empty title="Nothing has happened yet">Changes to the account will be listed here.</Empty>
  return <Empty title="No entry matches these filters">“Who” must be a complete e-mail address. Days are UTC.</Empty>
}

function Entries({ entries }: { readonly entries: readonly AuditEntry[] }) {
  return (
    <WideTable label="Audit trail" minWidth={720}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">Time</Table.Th>
          <Table.Th scope="col">What</Table.Th>
          <Table.Th scope="col" miw={220}>
            Who
          </Table.Th>
          <Table.Th scope="col">About</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {entries.map(({ id, at, actor, action, subject }) => (
          <Table.Tr key={id}>
            <Table.Td className="nowrap">{formatTime(at)}</Table.Td>
            <Table.Td className="nowrap">{actionWords[action]}</Table.Td>
            <Table.Td className="name">{actor === 'operator' ? 'Operator' : actor}</Table.Td>
            <Table.Td className="name">{subject}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  )
}
