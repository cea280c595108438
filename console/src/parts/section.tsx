import { Group, Paper, Title } from '@mantine/core'
import type { ReactNode } from 'react'

type Props = {
  readonly title: string
  /** Content to the right of the title, such as a link. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A framed part of a page. */
export function Section({ title, actions, children }: Props) {
  return (
    <Paper component="section" withBorder p="md" miw={0} h="100%">
      <Group justify="space-between" mb="sm" gap="xs">
        <Title order={2} size="h5">
          {title}
        </Title>
        {actions}
      </Group>
      {children}
    </Paper>
  )
}
