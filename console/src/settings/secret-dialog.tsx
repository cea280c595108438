import { Alert, Button, Group, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState, type ReactNode, type SubmitEvent } from 'react'
import { Dialog } from '../parts/dialog.tsx'
import { explain } from '../parts/explain.ts'

type Props<Answer> = {
  readonly title: string
  /** Label of the button that sends the form. */
  readonly action: string
  readonly send: (form: HTMLFormElement) => Promise<Answer>
  /** Called when the answer arrives, not when the dialog closes. */
  readonly onSent: () => void
  readonly titleOfAnswer: string
  readonly renderAnswer: (answer: Answer) => ReactNode
  readonly onClose: () => void
  /** The fields of the form. */
  readonly children: ReactNode
}

/** Shows a form, and then its answer with a secret that cannot be shown again. Only the dialog's button closes it. */
export function SecretDialog<Answer>(props: Props<Answer>) {
  const { title, action, send, onSent, titleOfAnswer, renderAnswer, onClose, children } = props
  // The only copy of the secret: neither the mutation nor the query cache keeps it.
  const [answer, setAnswer] = useState<Answer>()
  const sending = useMutation({
    mutationFn: async (form: HTMLFormElement) => setAnswer(await send(form)),
    onSuccess: onSent,
  })
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault()
    sending.mutate(event.currentTarget)
  }
  if (answer !== undefined) {
    return (
      <Dialog title={titleOfAnswer} onClose={onClose} closeOnClickOutside={false} closeOnEscape={false}>
        <Stack>
          {renderAnswer(answer)}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Done
            </Button>
          </Group>
        </Stack>
      </Dialog>
    )
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        <Stack>
          {sending.error && (
            <Alert color="red" variant="light" role="alert">
              {explain(sending.error)}
            </Alert>
          )}
          {children}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={sending.isPending}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
