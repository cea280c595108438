import { Text } from '@mantine/core'
import { useSession } from '../access/session.tsx'
import { calls, type Person } from '../api/calls.ts'
import { Confirm } from '../parts/confirm.tsx'

type Props = {
  readonly person: Person
  readonly onRemoved: (person: Person) => Promise<void>
  readonly onClose: () => void
}

export function RemovePerson({ person, onRemoved, onClose }: Props) {
  const isSelf = useSession().person.id === person.id
  return (
    <Confirm
      title={isSelf ? 'Remove yourself' : 'Remove a person'}
      action="Remove"
      onConfirm={async () => {
        await calls.removePerson(person.id)
        await onRemoved(person)
      }}
      onClose={onClose}
    >
      <Text size="sm" className="name" mb="xs">
        <b>{person.email}</b> {describe(person, isSelf)}
      </Text>
      <Text size="sm">The API keys of the account keep working.</Text>
    </Confirm>
  )
}

function describe({ status }: Person, isSelf: boolean): string {
  if (isSelf) return 'is you. You will lose access to this account at once.'
  if (status === 'invited') return 'has not accepted the invitation yet. Its link will stop working.'
  return 'will lose access to this account at once.'
}
