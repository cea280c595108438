import { Alert, Button, Group, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState, type SubmitEvent } from 'react'
import { forms, hasForm } from '../../../src/contract/forms.ts'
import { calls, type View } from '../api/calls.ts'
import { Dialog } from '../parts/dialog.tsx'
import { explain } from '../parts/explain.ts'
import { viewsKey } from './views-key.ts'

type Props = {
  readonly views: readonly View[]
  readonly search: string
  readonly onClose: () => void
}

/** Saves under a new name, or replaces the view that has this name. */
export function SaveView({ views, search, onClose }: Props) {
  const queryClient = useQueryClient()
  const [name, setName] = useState(views.find((view) => view.search === search)?.name ?? '')
  const taken = views.find((view) => view.name === name.trim())
  const save = useMutation({
    mutationFn: () =>
      taken ? calls.changeView(taken.id, { name: taken.name, search }) : calls.createView({ name, search }),
    onSuccess: () => {
      onClose()
      return queryClient.invalidateQueries({ queryKey: viewsKey })
    },
  })
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <Dialog onClose={onClose} title="Save this view">
      <form onSubmit={submit}>
        <Stack>
          {save.error && (
            <Alert color="red" variant="light" role="alert">
              {explain(save.error)}
            </Alert>
          )}
          <TextInput
            label="Name"
            description={
              taken ? 'You already have a view with this name. It will be replaced.' : 'Only you can see your views.'
            }
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            maxLength={60}
            data-autofocus
            required
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={save.isPending} disabled={!hasForm(forms.viewName, name)}>
              {taken ? 'Replace the view' : 'Save the view'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
