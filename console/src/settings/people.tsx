import { Badge, Button, Group, Table, Text, VisuallyHidden } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useIsAdministrator, useSession } from '../access/session.tsx'
import type { Person } from '../api/calls.ts'
import { sessionKey } from '../api/query-client.ts'
import { Failed } from '../parts/failed.tsx'
import { formatTime } from '../parts/format.ts'
import { ShowMore } from '../parts/show-more.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { WideTable } from '../parts/wide-table.tsx'
import { ChangeRole } from './change-role.tsx'
import { InvitePerson } from './invite-person.tsx'
import { RemovePerson } from './remove-person.tsx'
import { roleNames } from './roles.ts'
import { Section } from './section.tsx'
import { peopleKey, usePeople } from './use-people.ts'

type Open = { readonly dialog: 'invite' } | { readonly dialog: 'role' | 'remove'; readonly person: Person }

function Status({ person, now }: { readonly person: Person; readonly now: number }) {
  const { invitation_expires_at: expiresAt } = person
  if (expiresAt === null) return <Badge color="green">Active</Badge>
  if (Date.parse(expiresAt) <= now) return <Badge color="yellow">Invitation expired</Badge>
  return (
    <>
      <Badge color="gray">Invited</Badge>
      <Text size="xs" c="dimmed" className="nowrap">
        until {formatTime(expiresAt)}
      </Text>
    </>
  )
}

/** Lists the people of the account. */
export function People() {
  const self = useSession().person
  const isAdministrator = useIsAdministrator()
  const queryClient = useQueryClient()
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  const people = usePeople()
  const refresh = async (person?: Person): Promise<void> => {
    await queryClient.invalidateQueries({ queryKey: peopleKey })
    // If your own role changes, so does what you can do.
    if (person?.id === self.id) await queryClient.invalidateQueries({ queryKey: sessionKey })
  }
  return (
    <Section
      title="People"
      about="Members explore data and make reports. Administrators also create and delete API keys, and invite and remove people."
      actions={isAdministrator && <Button onClick={() => setOpen({ dialog: 'invite' })}>Invite a person</Button>}
    >
      {people.isPending && <Waiting what="Loading the people" />}
      {people.error && !people.data && <Failed error={people.error} onRetry={() => void people.refetch()} />}
      {people.data && (
        <WideTable label="People" minWidth={isAdministrator ? 640 : 480}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">E-mail</Table.Th>
              <Table.Th scope="col">Role</Table.Th>
              <Table.Th scope="col">Status</Table.Th>
              <Table.Th scope="col">Last sign-in</Table.Th>
              {isAdministrator && (
                <Table.Th scope="col">
                  <VisuallyHidden>Actions</VisuallyHidden>
                </Table.Th>
              )}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {people.data.pages.flatMap(({ data }) =>
              data.map((person) => (
                <Table.Tr key={person.id}>
                  <Table.Th scope="row" fw={500} className="name">
                    {person.email}
                    {person.id === self.id && ' (you)'}
                  </Table.Th>
                  <Table.Td>{roleNames[person.role]}</Table.Td>
                  <Table.Td>
                    <Status person={person} now={people.dataUpdatedAt} />
                  </Table.Td>
                  <Table.Td className="nowrap">
                    {person.last_signed_in_at === null ? 'Never' : formatTime(person.last_signed_in_at)}
                  </Table.Td>
                  {isAdministrator && (
                    <Table.Td>
                      <Group gap="xs" justify="flex-end" wrap="nowrap">
                        <Button
                          size="compact-xs"
                          variant="default"
                          aria-label={`Change role of ${person.email}`}
                          onClick={() => setOpen({ dialog: 'role', person })}
                        >
                          Change role
                        </Button>
                        <Button
                          size="compact-xs"
                          variant="default"
                          aria-label={`Remove ${person.email}`}
                          onClick={() => setOpen({ dialog: 'remove', person })}
                        >
                          Remove
                        </Button>
                      </Group>
                    </Table.Td>
                  )}
                </Table.Tr>
              )),
            )}
          </Table.Tbody>
        </WideTable>
      )}
      <ShowMore list={people} />
      {open?.dialog === 'invite' && <InvitePerson onInvited={() => void refresh()} onClose={close} />}
      {open?.dialog === 'role' && <ChangeRole person={open.person} onChanged={refresh} onClose={close} />}
      {open?.dialog === 'remove' && <RemovePerson person={open.person} onRemoved={refresh} onClose={close} />}
    </Section>
  )
}
