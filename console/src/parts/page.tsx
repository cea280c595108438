import { Group, Stack, Title } from '@mantine/core'
import type { ReactNode } from 'react'

type Props = {
  readonly title: string
  /** Actions of the page, to the right of its title. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

export function Page({ title, actions, children }: Props) {
  return (
    <Stack gap="md">
      <title>{`${title} · Adcube`}</title>
      <Group justify="space-between" mih={36}>
        <Title order={1} size="h3">
          {title}
        </Title>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  )
}
