import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState, type SubmitEvent } from 'react'
import { calls, type InvitedPerson } from '../api/calls.ts'
import { Dialog } from '../parts/dialog.tsx'
import { explain } from '../parts/explain.ts'
import { formatTime } from '../parts/format.ts'
import { textField } from '../parts/text-field.ts'
import { RoleChoice } from './role-choice.tsx'
import type { Role } from './roles.ts'
import { Secret } from './secret.tsx'

type Props = { readonly onInvited: () => void; readonly onClose: () => void }

/** Asks for an address and a role, and shows the link to pass on, once. */
export function InvitePerson({ onInvited, onClose }: Props) {
  const [role, setRole] = useState<Role>('member')
  // The only place where the token is: neither the mutation nor the query cache keeps it.
  const [invited, setInvited] = useState<InvitedPerson>()
  const invite = useMutation({
    mutationFn: async (email: string) => setInvited(await calls.invite({ email, role })),
    onSuccess: onInvited,
  })
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault()
    invite.mutate(textField(event.currentTarget, 'email'))
  }
  // Closed only by its buttons, because the link cannot be shown again.
  const isKept = invited !== undefined
  return (
    <Dialog
      title={isKept ? 'Pass the link on' : 'Invite a person'}
      onClose={onClose}
      closeOnClickOutside={!isKept}
      closeOnEscape={!isKept}
    >
      {invited ? (
        <ShowLink invited={invited} onClose={onClose} />
      ) : (
        <form onSubmit={submit}>
          <Stack>
            {invite.error && (
              <Alert color="red" variant="light" role="alert">
                {explain(invite.error)}
              </Alert>
            )}
            <TextInput name="email" type="email" label="E-mail" autoComplete="off" required data-autofocus />
            <RoleChoice value={role} onChange={setRole} />
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" loading={invite.isPending}>
                Create the invitation
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Dialog>
  )
}

function ShowLink({ invited, onClose }: { readonly invited: InvitedPerson; readonly onClose: () => void }) {
  return (
    <Stack>
      <Text size="sm">
        Send this link to <b className="name">{invited.email}</b>. Adcube sends no e-mail itself, and the link will not
        be shown again.
      </Text>
      <Secret value={`${location.origin}/console/invitation#${invited.invitation_token}`} label="Copy the link" />
      <Text size="sm">
        It works once, until {formatTime(invited.invitation_expires_at)}. Whoever opens it chooses the password. If it
        is lost, remove the person and invite them again.
      </Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Done
        </Button>
      </Group>
    </Stack>
  )
}
