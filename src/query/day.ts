/** A UTC day as yyyy-MM-DD. As text it compares and sorts like the day. */
export type Day = string

export const dayMs = 86_400_000

export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  // A day that does not exist, such as 31 April, is read as a day of the next month.
  return new Date(text).getUTCDate() === Number(text.slice(8))
}

export const dayOf = (timeMs: number): Day => new Date(timeMs).toISOString().slice(0, 10)

export const addDays = (day: Day, days: number): Day => dayOf(Date.parse(day) + days * dayMs)

/** Returns the same date of another month, or the last day of a shorter month. */
export function addMonths(day: Day, months: number): Day {
  const date = new Date(day)
  const target = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1))
  const lastDate = new Date(Date.UTC(target.getUTCFullYear(), target.getUTCMonth() + 1, 0)).getUTCDate()
  target.setUTCDate(Math.min(date.getUTCDate(), lastDate))
  return dayOf(target.getTime())
}

/** Counts the days from `start` to `end`, both included. */
export const countDays = (start: Day, end: Day): number => (Date.parse(end) - Date.parse(start)) / dayMs + 1
