import { deviceCounts, devicesMean, drawDevices } from './device-pool.ts'
import { createPlatformParts, type PlatformParts } from './platform-parts.ts'
import type { DemoPublisher } from './publishers.ts'
import { Random } from './random.ts'
import { tideOf } from './traffic.ts'

/** Rows of a plain day, of all publishers together. */
const rowsADay = 1260
const requestsADevice = 16

/** At most this share of rows has requests that all went without an ad. */
const unfilledRowsMax = 0.25
/** By tier. */
const slowness = [1, 1.2, 1.6]
/** An unanswered call is given up after this long. */
const giveUpMs = 1500
/** Spent on each request besides the calls. */
const overheadMs = 45

const partsOf = new WeakMap<DemoPublisher, PlatformParts>()

/**
 * The day's rows of one publisher. Requests without an ad, with ads that were shown and with ads that were clicked come
 * in rows of their own, so that the devices on a row with clicks are those that clicked, and Clk DAU stays well below
 * Imp DAU as it is in life.
 */
export function samplePlatformPerformanceDay(publisher: DemoPublisher, day: string): string {
  const parts = partsOf.get(publisher) ?? createPlatformParts(publisher)
  partsOf.set(publisher, parts)
  const random = new Random(`platform-performance ${publisher.id} ${day}`)
  const tide = tideOf(publisher, day)
  const { writer } = parts
  const { owners, indexes } = parts.layout
  writer.begin(`${publisher.id},${day},`)
  for (const app of parts.apps) {
    const rows = random.round(rowsADay * publisher.share * app.share * tide.rows)
    for (let row = 0; row < rows; row++) {
      const offer = app.offers.pick(random)
      const cohort = app.cohorts.pick(random)
      const { format, serving } = offer
      const { tier } = cohort
      const fillRate = Math.min(0.99, serving.fillRate[tier]! * cohort.appeal)
      const unfilledRows = Math.min(unfilledRowsMax, 1 - fillRate)
      const clickRate = format.clickRate[tier]!
      const clickRows = 0.05 + 4 * clickRate
      const requestsEach = requestsADevice * tide.events

      let devices = deviceCounts.pick(random)
      let requests = 0
      let wanted = 0
      let clicks = 0
      if (random.unit() < clickRows) {
        const impressionsOfRow = devicesMean * requestsEach * fillRate * format.survivalRate
        clicks = Math.max(1, random.round(((clickRate * impressionsOfRow) / clickRows) * random.exponential()))
        wanted = clicks + random.round(clicks * 0.1)
        requests = wanted
        devices = Math.min(devices, clicks)
      } else {
        requests = Math.max(1, random.round(devices * requestsEach * (0.35 + 0.65 * random.exponential())))
        wanted = random.unit() < unfilledRows ? 0 : random.round((requests * fillRate) / (1 - unfilledRows))
        devices = Math.min(devices, requests)
      }

      const attempts = requests + random.round(requests * (serving.depth - 1) * random.between(0.6, 1.4))
      const answered = random.round(attempts * Math.min(1, serving.answerRate * random.between(0.97, 1.03)))
      const responses = Math.min(attempts, Math.max(clicks, answered))
      const fills = Math.min(requests, responses, wanted)
      const shown = random.round(fills * format.survivalRate * random.between(0.95, 1.05))
      const impressions = Math.min(fills, Math.max(clicks, shown))
      const microsEach = Number(format.floors[tier]![1]) * 1000 * 1.35 * serving.price * cohort.appeal * tide.prices
      const revenueMicros = Math.round(impressions * microsEach * random.between(0.7, 1.3))
      const demandMs = Math.round(responses * serving.latencyMs * slowness[tier]! * random.between(0.75, 1.3))
      const waterfallMs = demandMs + (attempts - responses) * giveUpMs + requests * overheadMs
      const networkImpressions = offer.network ? Math.round(impressions * random.between(0.95, 1.03)) : 0
      const networkMicros = networkImpressions === 0 ? 0 : Math.round(revenueMicros * random.between(0.93, 1.02))

      writer.startRow()
      for (let stretch = 0; stretch < owners.length; stretch++) {
        const fragments = owners[stretch] === 0 ? offer.fragments : cohort.fragments
        writer.fragment(fragments[indexes[stretch]!]!)
      }
      writer.count(requests)
      writer.count(attempts)
      writer.count(responses)
      writer.count(fills)
      writer.count(impressions)
      writer.count(clicks)
      writer.money(revenueMicros)
      writer.count(demandMs)
      writer.count(waterfallMs)
      writer.count(networkImpressions)
      writer.money(networkMicros)
      drawDevices(cohort.pool, tide.turn, devices, random, writer)
      writer.endRow()
    }
  }
  return writer.take()
}
