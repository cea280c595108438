import { Alert, Button, Group } from '@mantine/core'
import { explain } from './explain.ts'

type Props = { readonly error: unknown; readonly onRetry: () => void }

/** Shown instead of content that failed to load. */
export function Failed({ error, onRetry }: Props) {
  return (
    <Alert color="red" variant="light" title="This could not be loaded" role="alert" m="md">
      {explain(error)}
      <Group mt="sm">
        <Button size="xs" variant="default" onClick={onRetry}>
          Try again
        </Button>
      </Group>
    </Alert>
  )
}
