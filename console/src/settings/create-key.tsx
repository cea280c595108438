import { Alert, Button, Code, Group, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState, type SubmitEvent } from 'react'
import { calls, type NewKey } from '../api/calls.ts'
import { Dialog } from '../parts/dialog.tsx'
import { explain } from '../parts/explain.ts'
import { formatTime } from '../parts/format.ts'
import { textField } from '../parts/text-field.ts'
import { Secret } from './secret.tsx'

type Props = { readonly onCreated: () => void; readonly onClose: () => void }

/** Asks for a name, and shows the key once. */
export function CreateKey({ onCreated, onClose }: Props) {
  // The only place where the key is: neither the mutation nor the query cache keeps it.
  const [created, setCreated] = useState<NewKey>()
  const create = useMutation({
    mutationFn: async (name: string) => setCreated(await calls.createKey(name)),
    onSuccess: onCreated,
  })
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault()
    create.mutate(textField(event.currentTarget, 'name'))
  }
  // Closed only by its buttons, because the key cannot be shown again.
  const isKept = created !== undefined
  return (
    <Dialog
      title={isKept ? 'Copy the key now' : 'Create a key'}
      onClose={onClose}
      closeOnClickOutside={!isKept}
      closeOnEscape={!isKept}
    >
      {created ? (
        <ShowKey created={created} onClose={onClose} />
      ) : (
        <form onSubmit={submit}>
          <Stack>
            {create.error && (
              <Alert color="red" variant="light" role="alert">
                {explain(create.error)}
              </Alert>
            )}
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
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" loading={create.isPending}>
                Create the key
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Dialog>
  )
}

function ShowKey({ created, onClose }: { readonly created: NewKey; readonly onClose: () => void }) {
  return (
    <Stack>
      <Text size="sm">
        This is the key of <b>{created.name}</b>. It will not be shown again: keep it in a safe place.
      </Text>
      <Secret value={created.key} label="Copy the key" />
      <Text size="sm">
        Send it in the header <Code>x-api-key</Code> of each request. It expires on {formatTime(created.expires_at)}.
      </Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Done
        </Button>
      </Group>
    </Stack>
  )
}
