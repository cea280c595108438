import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useSession } from '../access/session.tsx'
import { calls, type Person } from '../api/calls.ts'
import { Dialog } from '../parts/dialog.tsx'
import { explain } from '../parts/explain.ts'
import { RoleChoice } from './role-choice.tsx'

type Props = {
  readonly person: Person
  readonly onChanged: (person: Person) => Promise<void>
  readonly onClose: () => void
}

export function ChangeRole({ person, onChanged, onClose }: Props) {
  const isSelf = useSession().person.id === person.id
  const [role, setRole] = useState(person.role)
  const change = useMutation({
    mutationFn: async () => onChanged(await calls.changeRole(person.id, role)),
    onSuccess: onClose,
  })
  return (
    <Dialog title="Change a role" onClose={onClose}>
      <Stack>
        <Text size="sm" className="name">
          {person.email}
          {isSelf && ' (you)'}
        </Text>
        {change.error && (
          <Alert color="red" variant="light" role="alert">
            {explain(change.error)}
          </Alert>
        )}
        <RoleChoice value={role} onChange={setRole} />
        {isSelf && role === 'member' && (
          <Alert color="yellow" variant="light">
            You will not be able to take this back yourself; another Administrator can.
          </Alert>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button disabled={role === person.role} loading={change.isPending} onClick={() => change.mutate()}>
            Change the role
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
