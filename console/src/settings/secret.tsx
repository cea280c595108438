import { Code, Stack } from '@mantine/core'
import { CopyButton } from '../parts/copy-button.tsx'

/** What is shown once, to be copied. One click selects all of it, where the clipboard is out of reach. */
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
