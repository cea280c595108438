import { Center, Group, Paper, Stack, Title } from '@mantine/core'
import type { ReactNode } from 'react'

/** A centered card, for pages without a session. */
export function FrontPage({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Center component="main" mih="100vh" p="md">
      <title>{`${title} · Adcube`}</title>
      <Stack w={380} maw="100%" gap="lg">
        <Group gap="xs" justify="center">
          <img src="/console/icon.svg" width={28} height={28} alt="" />
          <span className="wordmark">Adcube</span>
        </Group>
        <Paper withBorder p="xl" radius="md">
          <Title order={1} size="h3" mb="md">
            {title}
          </Title>
          {children}
        </Paper>
      </Stack>
    </Center>
  )
}
