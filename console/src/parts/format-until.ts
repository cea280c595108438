const relative = new Intl.RelativeTimeFormat('en')

const secondMs = 1_000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** Formats the time until a moment: "in 12 seconds", "in 9 days", and "in 0 seconds" if it has just passed. */
export function formatUntil(iso: string, now: number): string {
  const leftMs = Math.max(0, Date.parse(iso) - now)
  if (leftMs < 90 * secondMs) return relative.format(Math.ceil(leftMs / secondMs), 'second')
  if (leftMs < 90 * minuteMs) return relative.format(Math.ceil(leftMs / minuteMs), 'minute')
  if (leftMs < 36 * hourMs) return relative.format(Math.ceil(leftMs / hourMs), 'hour')
  return relative.format(Math.ceil(leftMs / dayMs), 'day')
}
