import { Code, Text, TextInput } from '@mantine/core'
import { calls } from '../api/calls.ts'
import { formatTime } from '../parts/format.ts'
import { textField } from '../parts/text-field.ts'
import { SecretDialog } from './secret-dialog.tsx'
import { Secret } from './secret.tsx'

type Props = { readonly onCreated: () => void; readonly onClose: () => void }

/** Asks for a name, creates the key, and shows it once. */
export function CreateKey({ onCreated, onClose }: Props) {
  return (
    <SecretDialog
      title="Create a key"
      action="Create the key"
      send={(form) => calls.createKey(textField(form, 'name'))}
      onSent={onCreated}
      titleOfAnswer="Copy the key now"
      renderAnswer={(created) => (
        <>
          <Text size="sm">
            This is the key of <b>{created.name}</b>. It will not be shown again: keep it in a safe place.
          </Text>
          <Secret value={created.key} label="Copy the key" />
          <Text size="sm">
            Send it in the header <Code>x-api-key</Code> of each request, until {formatTime(created.expires_at)}.
          </Text>
        </>
      )}
      onClose={onClose}
    >
      <TextInput
        name="name"
        label="Name"
        description="What will use it, such as Nightly report"
        maxLength={100}
        pattern=".*\S.*"
        title="A name with at least one letter or digit"
        autoComplete="off"
        required
        data-autofocus
      />
    </SecretDialog>
  )
}
