import { Group, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

type Props = {
  readonly title: string
  /** An introduction of a sentence or two. */
  readonly about: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** The content of a tab of the settings. */
export function Section({ title, about, actions, children }: Props) {
  return (
    <Stack gap="md" component="section">
      <Group justify="space-between" align="flex-start">
        <Stack gap={2} flex="1 1 280px" maw={680}>
          <Title order={2} size="h4">
            {title}
          </Title>
          <Text size="sm" c="dimmed">
            {about}
          </Text>
        </Stack>
        {actions}
      </Group>
      {children}
    </Stack>
  )
}
