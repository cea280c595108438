import type { Unit } from '../../../src/catalog/cube.ts'

const language = 'en'
const whole = new Intl.NumberFormat(language, { maximumFractionDigits: 0 })
const money = new Intl.NumberFormat(language, { minimumFractionDigits: 2, maximumFractionDigits: 2 })
const percent = new Intl.NumberFormat(language, {
  style: 'percent',
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
})
const average = new Intl.NumberFormat(language, { minimumFractionDigits: 2, maximumFractionDigits: 4 })
const short = new Intl.NumberFormat(language, { notation: 'compact', maximumFractionDigits: 1 })
const change = new Intl.NumberFormat(language, {
  style: 'percent',
  signDisplay: 'exceptZero',
  maximumFractionDigits: 1,
})
const moment = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' })
const shortDay = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short', timeZone: 'UTC' })
const month = new Intl.DateTimeFormat(language, { month: 'long', year: 'numeric', timeZone: 'UTC' })
const longDay = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' })

/** Text for a missing value, such as a rate of nothing. */
export const none = '–'

/** Formats a metric's value in full, by its unit. */
export function formatValue(unit: Unit, value: number | null | undefined): string {
  if (value === null || value === undefined) return none
  switch (unit) {
    case 'count':
    case 'devices':
      return whole.format(value)
    case 'currency':
      return money.format(value)
    case 'fraction':
      return percent.format(value)
    case 'milliseconds':
      return `${whole.format(value)} ms`
    case 'average':
      return average.format(value)
  }
}

/** Formats a value for an axis or a tile, in little space. */
export function formatShort(unit: Unit, value: number | null | undefined): string {
  if (value === null || value === undefined) return none
  if (unit === 'fraction' || Math.abs(value) < 1_000) return formatValue(unit, value)
  return unit === 'milliseconds' ? `${short.format(value)} ms` : short.format(value)
}

/** Returns the change as a share of the earlier value; undefined if that is meaningless. */
export function changeOf(now: number | null | undefined, before: number | null | undefined): number | undefined {
  return now === null || now === undefined || !before ? undefined : now / before - 1
}

export const formatChange = (share: number): string => change.format(share)
export const formatCount = (value: number): string => whole.format(value)
/** Formats a UTC day that is given as yyyy-MM-DD. */
export const formatDay = (day: string): string => longDay.format(new Date(day))
export const formatShortDay = (day: string): string => shortDay.format(new Date(day))
export const formatMonth = (day: string): string => month.format(new Date(day))
/** Formats a range of UTC days, both included. */
export const formatDays = (start: string, end: string): string => longDay.formatRange(new Date(start), new Date(end))
/** Formats a moment in the user's time zone. */
export const formatTime = (iso: string | null): string => (iso === null ? none : moment.format(new Date(iso)))

export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  const value = bytes / 1_000 ** power
  return `${power === 0 || value >= 100 ? whole.format(value) : value.toFixed(1)} ${units[power]}`
}
