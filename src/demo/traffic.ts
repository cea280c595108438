import { turnOf } from './device-pool.ts'
import type { DemoPublisher } from './publishers.ts'
import { Random } from './random.ts'

/** What the day does to the traffic, as factors around 1. */
export type Tide = {
  /** On the number of rows of the day. */
  readonly rows: number
  /** On the events that a row sums up. */
  readonly events: number
  /** On what advertisers pay. */
  readonly prices: number
  /** How far the device pools have turned. */
  readonly turn: number
}

// Each list begins on Sunday.
const week = {
  games: [1.2, 0.92, 0.9, 0.91, 0.93, 1.02, 1.18],
  news: [0.82, 1.08, 1.1, 1.08, 1.06, 1.04, 0.8],
}

// Each list has the middle of each month; days between are interpolated.
const volumeOfMonth = [0.99, 0.95, 0.93, 0.93, 0.92, 0.94, 0.98, 0.99, 0.97, 1.04, 1.15, 1.22]
const priceOfMonth = [0.8, 0.84, 0.92, 0.95, 0.99, 1.02, 0.95, 0.97, 1.04, 1.09, 1.26, 1.3]

const yearlyGrowth = 1.18
const growthFrom = Date.UTC(2026, 0, 1) / 86_400_000

function inSeason(months: readonly number[], date: Date): number {
  const position = date.getUTCMonth() + date.getUTCDate() / 31 - 0.5
  const before = Math.floor(position)
  const low = months[(before + 12) % 12]!
  const high = months[(before + 1) % 12]!
  return low + (high - low) * (position - before)
}

/**
 * Growth falls on the events of a row alone, and waves fall on rows and events by halves, so that any thirteen months
 * hold about as many rows.
 */
export function tideOf(publisher: DemoPublisher, day: string): Tide {
  const random = new Random(`tide ${publisher.id} ${day}`)
  const date = new Date(`${day}T00:00:00Z`)
  const dayNumber = date.getTime() / 86_400_000
  const wave = week[publisher.rhythm][date.getUTCDay()]! * inSeason(volumeOfMonth, date) * random.between(0.95, 1.05)
  return {
    rows: Math.sqrt(wave),
    events: Math.sqrt(wave) * yearlyGrowth ** ((dayNumber - growthFrom) / 365),
    prices: inSeason(priceOfMonth, date) * random.between(0.96, 1.04),
    turn: turnOf(dayNumber),
  }
}
