import { Table } from '@mantine/core'
import type { ReactNode } from 'react'

type Props = {
  /** What the table lists. */
  readonly label: string
  /** Below this many pixels it scrolls by itself. */
  readonly minWidth: number
  readonly children: ReactNode
}

/** A table that scrolls within itself where the screen is narrow, by keyboard too. */
export function WideTable({ label, minWidth, children }: Props) {
  return (
    <Table.ScrollContainer
      type="native"
      minWidth={minWidth}
      // So that what is placed in it, such as hidden text, does not widen the page.
      pos="relative"
      role="region"
      aria-label={label}
      tabIndex={0}
    >
      <Table aria-label={label}>{children}</Table>
    </Table.ScrollContainer>
  )
}
