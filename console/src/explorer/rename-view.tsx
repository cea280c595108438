import { Alert, Button, Group, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState, type SubmitEvent } from 'react'
import { forms, hasForm } from '../../../src/contract/forms.ts'
import { calls, type View } from '../api/calls.ts'
import { explain } from '../parts/explain.ts'
import { viewsKey } from './views-key.ts'

export function RenameView({ view, onClose }: { readonly view: View; readonly onClose: () => void }) {
  const queryClient = useQueryClient()
  const [name, setName] = useState(view.name)
  const rename = useMutation({
    mutationFn: () => calls.changeView(view.id, { name, search: view.search }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: viewsKey })
      onClose()
    },
  })
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault()
    rename.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Group gap={4} wrap="nowrap">
        <TextInput
          size="xs"
          flex={1}
          aria-label={`New name of ${view.name}`}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          maxLength={60}
          autoFocus
        />
        <Button size="xs" type="submit" loading={rename.isPending} disabled={!hasForm(forms.viewName, name)}>
          Rename
        </Button>
        <Button size="xs" variant="default" onClick={onClose}>
          Cancel
        </Button>
      </Group>
      {rename.error && (
        <Alert color="red" variant="light" role="alert" mt="xs">
          {explain(rename.error)}
        </Alert>
      )}
    </form>
  )
}
