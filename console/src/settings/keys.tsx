import { Alert, Anchor, Badge, Button, Code, Group, List, Table, Text, VisuallyHidden } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useIsAdministrator } from '../access/session.tsx'
import { calls, type Key } from '../api/calls.ts'
import { Confirm } from '../parts/confirm.tsx'
import { Empty } from '../parts/empty.tsx'
import { Failed } from '../parts/failed.tsx'
import { formatUntil } from '../parts/format-until.ts'
import { formatDay, formatTime } from '../parts/format.ts'
import { Waiting } from '../parts/waiting.tsx'
import { WideTable } from '../parts/wide-table.tsx'
import { CreateKey } from './create-key.tsx'
import { needsRenewal } from './key-expiry.ts'
import { Section } from './section.tsx'

const keysKey = ['keys']

/** Lists the API keys of the account. Administrators can create and delete them. */
export function Keys() {
  const isAdministrator = useIsAdministrator()
  const queryClient = useQueryClient()
  const [isCreating, setIsCreating] = useState(false)
  const [deleted, setDeleted] = useState<Key>()
  const list = useQuery({ queryKey: keysKey, queryFn: calls.keys })
  const refresh = () => queryClient.invalidateQueries({ queryKey: keysKey })

  const keys = list.data?.data ?? []
  const activeCount = keys.filter(({ status }) => status === 'active').length
  const activeMax = list.data?.active_max ?? 0
  const isFull = list.data !== undefined && activeCount >= activeMax
  const create = isAdministrator && (
    <Button disabled={!list.data || isFull} onClick={() => setIsCreating(true)}>
      Create a key
    </Button>
  )
  return (
    <Section
      title="API keys"
      about={
        <>
          Every API request needs a key. A key has full access to the API of this account and expires six months after
          it was created.{!isAdministrator && ' Only Administrators can create and delete keys.'} The{' '}
          <Anchor href="/docs" target="_blank" underline="always" inherit>
            API reference
          </Anchor>{' '}
          shows every request.
        </>
      }
      actions={create}
    >
      {list.isPending && <Waiting what="Loading the keys" />}
      {list.error && !list.data && <Failed error={list.error} onRetry={() => void list.refetch()} />}
      {list.data && (
        <>
          <Text size="sm">
            {activeCount} of {activeMax} keys
            {isFull && isAdministrator && '. Delete a key before you create another one.'}
          </Text>
          <Renewals keys={keys} now={list.dataUpdatedAt} />
          {keys.length === 0 ? (
            <Empty title="No API keys yet">
              {isAdministrator
                ? 'Create one for each program that calls the API, so that you can replace them one at a time.'
                : 'Ask an Administrator of the account to create one.'}
            </Empty>
          ) : (
            <KeyTable keys={keys} now={list.dataUpdatedAt} onDelete={isAdministrator ? setDeleted : undefined} />
          )}
        </>
      )}
      {isCreating && <CreateKey onCreated={() => void refresh()} onClose={() => setIsCreating(false)} />}
      {deleted && (
        <Confirm
          title="Delete a key"
          action="Delete the key"
          onConfirm={async () => {
            await calls.deleteKey(deleted.id)
            await refresh()
          }}
          onClose={() => setDeleted(undefined)}
        >
          <Text size="sm" className="name" mb="xs">
            <b>{deleted.name}</b> (…{deleted.last_four}){' '}
            {deleted.last_used_at === null
              ? 'has never been used.'
              : `was last used on ${formatTime(deleted.last_used_at)}.`}
          </Text>
          <Text size="sm">Requests with this key will be refused at once. This cannot be undone.</Text>
        </Confirm>
      )}
    </Section>
  )
}

/** Lists the keys that should be replaced. */
function Renewals({ keys, now }: { readonly keys: readonly Key[]; readonly now: number }) {
  const due = keys.filter((key) => needsRenewal(key, now))
  if (due.length === 0) return null
  return (
    <Alert color="yellow" variant="light" title={due.length === 1 ? 'A key needs attention' : 'Keys need attention'}>
      <List size="sm">
        {due.map((key) => (
          <List.Item key={key.id}>
            {key.status === 'expired'
              ? `${key.name} (…${key.last_four}) has expired: requests with it are refused.`
              : `${key.name} (…${key.last_four}) expires ${formatUntil(key.expires_at, now)}. Replace it with a new one before then.`}
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}

type KeyTableProps = {
  readonly keys: readonly Key[]
  readonly now: number
  readonly onDelete: ((key: Key) => void) | undefined
}

function KeyTable({ keys, now, onDelete }: KeyTableProps) {
  return (
    <WideTable label="API keys" minWidth={720}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">Name</Table.Th>
          <Table.Th scope="col">Key</Table.Th>
          <Table.Th scope="col">Status</Table.Th>
          <Table.Th scope="col">Created</Table.Th>
          <Table.Th scope="col">Expires</Table.Th>
          <Table.Th scope="col">Last used</Table.Th>
          {onDelete && (
            <Table.Th scope="col">
              <VisuallyHidden>Actions</VisuallyHidden>
            </Table.Th>
          )}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {keys.map((key) => (
          <Table.Tr key={key.id}>
            <Table.Th scope="row" fw={500} className="name">
              {key.name}
            </Table.Th>
            <Table.Td>
              <Code className="nowrap">…{key.last_four}</Code>
            </Table.Td>
            <Table.Td>
              <Status of={key} now={now} />
            </Table.Td>
            <Table.Td className="nowrap">{formatDay(key.created_at)}</Table.Td>
            <Table.Td className="nowrap">{formatDay(key.expires_at)}</Table.Td>
            <Table.Td className="nowrap">{key.last_used_at === null ? 'Never' : formatTime(key.last_used_at)}</Table.Td>
            {onDelete && (
              <Table.Td>
                <Group justify="flex-end">
                  <Button
                    size="compact-xs"
                    variant="default"
                    aria-label={`Delete ${key.name}`}
                    onClick={() => onDelete(key)}
                  >
                    Delete
                  </Button>
                </Group>
              </Table.Td>
            )}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  )
}

function Status({ of: key, now }: { readonly of: Key; readonly now: number }) {
  if (key.status === 'expired') return <Badge color="red">Expired</Badge>
  if (needsRenewal(key, now)) return <Badge color="yellow">Expires {formatUntil(key.expires_at, now)}</Badge>
  return <Badge color="green">Active</Badge>
}
