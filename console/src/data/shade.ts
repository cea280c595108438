import type { CSSProperties } from 'react'

const darkestPercent = 60
const lightestPercent = 10

/** The background of a day in the calendar: the more rows, compared with the day that has the most, the darker. */
export function shadeOf(rows: number | null | undefined, rowsMax: number): CSSProperties | undefined {
  if (rows === undefined) return undefined
  // An earlier version did not record the rows of a day.
  const share = rows === null || rowsMax === 0 ? 0 : rows / rowsMax
  const percent = Math.round(lightestPercent + share * (darkestPercent - lightestPercent))
  return { background: `color-mix(in srgb, var(--mantine-color-cyan-6) ${percent}%, transparent)` }
}
