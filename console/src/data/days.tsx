import { Alert, Stack, Table, Text } from '@mantine/core'
import type { Cube } from '../../../src/catalog/cube.ts'
import { asynchronousLimits } from '../../../src/catalog/limits.ts'
import { Failed } from '../parts/failed.tsx'
import { formatCount, formatDay, formatDays, formatMonth, none } from '../parts/format.ts'
import { Section } from '../parts/section.tsx'
import { WideTable } from '../parts/wide-table.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { Calendar } from './calendar.tsx'
import { describeGaps, findGaps, gapsWithin } from './gaps.ts'
import { listMonths, sumRows } from './months.ts'
import { NoData } from './no-data.tsx'
import { useDays } from './use-days.ts'

const { available } = asynchronousLimits
const monthsKept = 'months' in available ? available.months : 0

/** Shows the loaded days of a cube. */
export function Days({ cube }: { readonly cube: Cube }) {
  const { data, error, refetch } = useDays(cube)
  if (!data) {
    if (error) return <Failed error={error} onRetry={() => void refetch()} />
    return <Waiting what="Looking up the loaded days" height={480} />
  }
  const { today, oldest } = data
  const first = data.data[0]
  const last = data.data.at(-1)
  if (!first || !last) return <NoData cube={cube} />
  const loaded = data.data.map(({ day }) => day)
  const gaps = findGaps(loaded, today)
  const months = listMonths(first.day, today, data.data)
  return (
    <Stack gap="md">
      <Text size="sm">
        {`${formatCount(loaded.length)} days are loaded, from ${formatDay(first.day)} to ${formatDay(last.day)}. ` +
          `Days of the last ${monthsKept} months can be asked for: since ${formatDay(oldest)}. All days are UTC.`}
      </Text>
      {gaps.length > 0 && (
        <Alert color="yellow" variant="light" role="status">
          {`${describeGaps(gaps)}.`}
        </Alert>
      )}
      <Section title="Calendar">
        <Calendar cube={cube} months={months} lastLoaded={last.day} today={today} />
      </Section>
      <Section title="Months">
        <WideTable label="Months" minWidth={480}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">Month</Table.Th>
              <Table.Th scope="col" className="number">
                Loaded days
              </Table.Th>
              <Table.Th scope="col" className="number">
                Rows
              </Table.Th>
              <Table.Th scope="col">Missing days</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {months.map((month) => {
              const rows = sumRows(month)
              const missing = gapsWithin(gaps, month.start, month.days.at(-1)!.day)
              return (
                <Table.Tr key={month.start}>
                  <Table.Th scope="row" fw={400}>
                    {formatMonth(month.start)}
                  </Table.Th>
                  <Table.Td className="number">{month.days.filter(({ loaded }) => loaded).length}</Table.Td>
                  <Table.Td className="number">{rows === undefined ? none : formatCount(rows)}</Table.Td>
                  <Table.Td>{missing.map(({ start, end }) => formatDays(start, end)).join('; ') || 'None'}</Table.Td>
                </Table.Tr>
              )
            })}
          </Table.Tbody>
        </WideTable>
      </Section>
    </Stack>
  )
}
