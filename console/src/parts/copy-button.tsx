import { Button, CopyButton as Copier } from '@mantine/core'

type Props = { readonly value: string; readonly label?: string; readonly autoFocus?: boolean }

export function CopyButton({ value, label = 'Copy', autoFocus = false }: Props) {
  return (
    <Copier value={value} timeout={2_000}>
      {({ copied, copy }) => (
        <Button size="xs" variant="default" onClick={copy} autoFocus={autoFocus} aria-live="polite">
          {copied ? 'Copied' : label}
        </Button>
      )}
    </Copier>
  )
}
