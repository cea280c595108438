import { ActionIcon, Table } from '@mantine/core'
import { ChevronDownIcon, ChevronRightIcon } from '@radix-ui/react-icons'
import { useId, useState } from 'react'
import { countDays } from '../../../src/query/day.ts'
import type { Load } from '../api/calls.ts'
import { formatCount, formatDays, formatTime, none } from '../parts/format.ts'
import { LoadDetails } from './load-details.tsx'
import { WarningCount } from './warning-count.tsx'

const modes = { replace: 'Replaced the days', append: 'Added to the days' }

/** Shows a load, and on demand its files and warnings. */
export function LoadRow({ load }: { readonly load: Load }) {
  const [isOpen, setOpen] = useState(false)
  const detailsId = useId()
  const { files, warnings } = load
  const hasDetails = (files?.length ?? 0) > 0 || (warnings?.count ?? 0) > 0
  return (
    <>
      <Table.Tr>
        <Table.Td>
          {hasDetails && (
            <ActionIcon
              variant="subtle"
              color="gray"
              size="sm"
              aria-expanded={isOpen}
              aria-controls={detailsId}
              aria-label={`Details of the load of ${formatTime(load.finished_at)}`}
              onClick={() => setOpen((before) => !before)}
            >
              {isOpen ? <ChevronDownIcon /> : <ChevronRightIcon />}
            </ActionIcon>
          )}
        </Table.Td>
        <Table.Th scope="row" fw={400} className="nowrap">
          {formatTime(load.finished_at)}
        </Table.Th>
        <Table.Td>{load.loaded_by ?? none}</Table.Td>
        <Table.Td className="nowrap">{modes[load.mode]}</Table.Td>
        <Table.Td className="nowrap">{describeDays(load)}</Table.Td>
        <Table.Td className="number">{load.rows === null ? none : formatCount(load.rows)}</Table.Td>
        <Table.Td>{describeFiles(load)}</Table.Td>
        <Table.Td>
          <WarningCount load={load} />
        </Table.Td>
      </Table.Tr>
      {isOpen && (
        <Table.Tr id={detailsId}>
          <Table.Td />
          <Table.Td colSpan={7}>
            <LoadDetails load={load} />
          </Table.Td>
        </Table.Tr>
      )}
    </>
  )
}

/** A load may have no data of some days, and some of its days may have been replaced. */
function describeDays({ days, first_day, last_day }: Load): string {
  const range = formatDays(first_day, last_day)
  return days === countDays(first_day, last_day) ? range : `${formatCount(days)} of ${range}`
}

function describeFiles({ files, file_count }: Load): string {
  // They have facts of other accounts too.
  if (file_count === null) return 'Shared with other accounts'
  return file_count === 1 ? (files?.[0]?.name ?? '1 file') : `${formatCount(file_count)} files`
}
