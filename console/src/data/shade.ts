import type { CSSProperties } from 'react'

const darkestPercent = 60
const lightestPercent = 10

/** Returns the background of a day in the calendar: the more rows, relative to the largest day, the darker. */
export function shadeOf(rows: number | null | undefined, rowsMax: number): CSSProperties | undefined {
  if (rows === undefined) return undefined
  // An earlier version did not record the rows of a day.
  const share = rows === null || rowsMax === 0 ? 0 : rows / rowsMax
  const percent = Math.round(lightestPercent + share * (darkestPercent - lightestPercent))
  return { background: `color-mix(in srgb, var(--mantine-color-cyan-6) ${percent}%, transparent)` }
}
