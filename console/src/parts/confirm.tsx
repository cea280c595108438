import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Dialog } from './dialog.tsx'
import { explain } from './explain.ts'

type Props = {
  readonly title: string
  /** Text that says what will happen. */
  readonly children: ReactNode
  /** Label of the button: a verb and its object. */
  readonly action: string
  readonly onConfirm: () => Promise<unknown>
  readonly onClose: () => void
}

/** Asks for confirmation of an action that cannot be undone. Stays open if the action fails. */
export function Confirm({ title, children, action, onConfirm, onClose }: Props) {
  const confirm = useMutation({ mutationFn: onConfirm, onSuccess: onClose })
  return (
    <Dialog onClose={onClose} title={title}>
      <Stack>
        <Text size="sm" component="div">
          {children}
        </Text>
        {confirm.error && (
          <Alert color="red" variant="light" role="alert">
            {explain(confirm.error)}
          </Alert>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button color="danger" loading={confirm.isPending} onClick={() => confirm.mutate()}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
