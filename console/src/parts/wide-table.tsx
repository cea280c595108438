import { Table } from '@mantine/core'
import type { ReactNode } from 'react'

type Props = {
  /** Label of the table. */
  readonly label: string
  /** Width in pixels below which the table scrolls. */
  readonly minWidth: number
  readonly children: ReactNode
}

/** A table that scrolls horizontally on narrow screens, also by keyboard. */
export function WideTable({ label, minWidth, children }: Props) {
  return (
    <Table.ScrollContainer
      type="native"
      minWidth={minWidth}
      // So that absolutely positioned content, such as hidden text, does not widen the page.
      pos="relative"
      role="region"
      aria-label={label}
      tabIndex={0}
    >
      <Table aria-label={label}>{children}</Table>
    </Table.ScrollContainer>
  )
}
