import { Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { calls } from '../api/calls.ts'
import { formatTime } from '../parts/format.ts'
import { textField } from '../parts/text-field.ts'
import { RoleChoice } from './role-choice.tsx'
import type { Role } from './roles.ts'
import { SecretDialog } from './secret-dialog.tsx'
import { Secret } from './secret.tsx'

type Props = { readonly onInvited: () => void; readonly onClose: () => void }

/** Asks for an e-mail address and a role, and shows the link to pass on once. */
export function InvitePerson({ onInvited, onClose }: Props) {
  const [role, setRole] = useState<Role>('member')
  return (
    <SecretDialog
      title="Invite a person"
      action="Create the invitation"
      send={(form) => calls.invite({ email: textField(form, 'email'), role })}
      onSent={onInvited}
      titleOfAnswer="Pass the link on"
      renderAnswer={(invited) => (
        <>
          <Text size="sm">
            Send this link to <b className="name">{invited.email}</b>. Adcube sends no e-mail itself, and the link will
            not be shown again.
          </Text>
          <Secret value={`${location.origin}/console/invitation#${invited.invitation_token}`} label="Copy the link" />
          <Text size="sm">
            It works once, until {formatTime(invited.invitation_expires_at)}. The person joins with the password that
            they already have for this address, or chooses one. If the link is lost, remove the person and invite them
            again.
          </Text>
        </>
      )}
      onClose={onClose}
    >
      <TextInput name="email" type="email" label="E-mail" autoComplete="off" required data-autofocus />
      <RoleChoice value={role} onChange={setRole} />
    </SecretDialog>
  )
}
