import { Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'

type Props = { readonly title: string; readonly children?: ReactNode }

/** Shown instead of an empty list, with a way to fill it. */
export function Empty({ title, children }: Props) {
  return (
    <Stack align="center" gap="xs" py="xl" px="md" ta="center">
      <Text fw={600}>{title}</Text>
      {children !== undefined && (
        <Text component="div" size="sm" c="dimmed" maw={560}>
          {children}
        </Text>
      )}
    </Stack>
  )
}
