import { Alert, Code, Progress, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { calls, type Usage as Limit } from '../api/calls.ts'
import { Failed } from '../parts/failed.tsx'
import { formatUntil } from '../parts/format-until.ts'
import { formatCount, none } from '../parts/format.ts'
import { Waiting } from '../parts/waiting.tsx'
import { WideTable } from '../parts/wide-table.tsx'
import { Section } from './section.tsx'
import { describePath, describeWindow } from './usage-words.ts'

/** The shortest window is a second. React Query pauses while the page is hidden. */
const refreshMs = 3_000

/** Shows how much of each rate limit the account has used. */
export function Usage() {
  const usage = useQuery({ queryKey: ['usage'], queryFn: calls.usage, refetchInterval: refreshMs })
  const limits = usage.data?.data ?? []
  // Jobs are counted separately from requests, and always.
  const isOff = limits.every(({ name }) => name === 'jobs')
  return (
    <Section
      title="Usage"
      about="Limits apply to the whole account, across all keys and API versions. A request counts against every limit that matches it. Of what you do in the console, only reports count: they are jobs."
    >
      {usage.isPending && <Waiting what="Loading the usage" />}
      {usage.error && <Failed error={usage.error} onRetry={() => void usage.refetch()} />}
      {usage.data && isOff && (
        <Alert color="yellow" variant="light" title="Request limits are off">
          The operator of this server has turned them off (<Code>ADCUBE_RATE_LIMITS=off</Code>). Jobs are still counted.
        </Alert>
      )}
      {usage.data && (
        <WideTable label="Rate limits" minWidth={560}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">Limit</Table.Th>
              <Table.Th scope="col">Used</Table.Th>
              <Table.Th scope="col">Counted in</Table.Th>
              <Table.Th scope="col">Next available</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {limits.map((limit) => (
              <LimitRow key={limit.name} limit={limit} now={usage.dataUpdatedAt} />
            ))}
          </Table.Tbody>
        </WideTable>
      )}
    </Section>
  )
}

function LimitRow({ limit, now }: { readonly limit: Limit; readonly now: number }) {
  const { description, window_seconds: windowSeconds, quota, used, resets_at: resetsAt } = limit
  const share = (100 * used) / quota
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={500}>
        {description}
        <Text size="xs" c="dimmed" ff="monospace">
          {describePath(limit)}
        </Text>
      </Table.Th>
      <Table.Td miw={160}>
        {formatCount(used)} of {formatCount(quota)}
        <Progress
          mt={4}
          value={share}
          color={share >= 100 ? 'red' : share >= 80 ? 'yellow' : 'cyan'}
          aria-label={`${description}, used`}
        />
      </Table.Td>
      <Table.Td className="nowrap">{describeWindow(windowSeconds)}</Table.Td>
      <Table.Td className="nowrap">{resetsAt === null ? none : formatUntil(resetsAt, now)}</Table.Td>
    </Table.Tr>
  )
}
