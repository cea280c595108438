import { ActionIcon, Group, Stack, Text } from '@mantine/core'
import { Pencil1Icon, TrashIcon } from '@radix-ui/react-icons'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { calls, type View } from '../api/calls.ts'
import { Confirm } from '../parts/confirm.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { RenameView } from './rename-view.tsx'
import { viewsKey } from './views-key.ts'

type Props = { readonly views: readonly View[]; readonly onClose: () => void }

export function ManageViews({ views, onClose }: Props) {
  const queryClient = useQueryClient()
  const [renamed, setRenamed] = useState<string>()
  const [deleted, setDeleted] = useState<View>()
  const remove = async ({ id }: View): Promise<void> => {
    await calls.deleteView(id)
    await queryClient.invalidateQueries({ queryKey: viewsKey })
  }
  if (deleted) {
    return (
      <Confirm
        title="Delete the view?"
        action="Delete the view"
        onConfirm={() => remove(deleted)}
        onClose={() => setDeleted(undefined)}
      >
        “{deleted.name}” will be deleted. This does not affect any data.
      </Confirm>
    )
  }
  return (
    <Dialog onClose={onClose} title="Saved views">
      <Stack gap={4}>
        {views.map((view) =>
          view.id === renamed ? (
            <RenameView key={view.id} view={view} onClose={() => setRenamed(undefined)} />
          ) : (
            <Group key={view.id} gap={4} wrap="nowrap">
              <Text size="sm" flex={1} style={{ overflowWrap: 'anywhere' }}>
                {view.name}
              </Text>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={`Rename ${view.name}`}
                onClick={() => setRenamed(view.id)}
              >
                <Pencil1Icon />
              </ActionIcon>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={`Delete ${view.name}`}
                onClick={() => setDeleted(view)}
              >
                <TrashIcon />
              </ActionIcon>
            </Group>
          ),
        )}
        {views.length === 0 && <Text size="sm">You have no saved views.</Text>}
      </Stack>
    </Dialog>
  )
}
