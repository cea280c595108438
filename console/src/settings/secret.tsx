import { Code, Stack } from '@mantine/core'
import { CopyButton } from '../parts/copy-button.tsx'

/** Shows a secret to copy. One click selects all of it, if the clipboard is not available. */
export function Secret({ value, label }: { readonly value: string; readonly label: string }) {
  return (
    <Stack gap="xs" align="flex-start">
      <Code block w="100%" className="secret">
        {value}
      </Code>
      <CopyButton value={value} label={label} autoFocus />
    </Stack>
  )
}
