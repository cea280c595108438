import { createAuctionParts, type AuctionParts } from './auction-parts.ts'
import { deviceCounts, drawDevices } from './device-pool.ts'
import { hourWeights } from './market.ts'
import type { DemoPublisher } from './publishers.ts'
import { Lottery, Random } from './random.ts'
import { tideOf } from './traffic.ts'

/** Rows of a plain day, of all publishers together. */
const rowsADay = 1560
const auctionsADevice = 24
/** Of the rows, not of the auctions: those are shared out by the win rate. */
const lostRows = 0.3
const platformFee = 0.12
/** By tier: how many more bids, at most, come with a winning one. */
const rivalsMax = [5.2, 3.6, 2.2]

const localHours = new Lottery(
  hourWeights.map((_, hour) => hour),
  hourWeights,
)

const partsOf = new WeakMap<DemoPublisher, AuctionParts>()

/**
 * The day's rows of one publisher. A bid is counted in currency for one impression, so what the winners bid, times the
 * share of them that was shown, less the platform's fee, is the revenue.
 */
export function sampleAuctionsDay(publisher: DemoPublisher, day: string): string {
  const parts = partsOf.get(publisher) ?? createAuctionParts(publisher)
  partsOf.set(publisher, parts)
  const random = new Random(`auctions ${publisher.id} ${day}`)
  const tide = tideOf(publisher, day)
  const { writer } = parts
  const { owners, indexes } = parts.layout
  writer.begin(`${publisher.id},${day},`)
  for (const app of parts.apps) {
    const rows = random.round(rowsADay * publisher.share * app.share * tide.rows)
    for (let row = 0; row < rows; row++) {
      const slot = app.slots.pick(random)
      const cohort = app.cohorts.pick(random)
      const { format } = slot
      const { tier } = cohort
      const floor = slot.floors[tier]![random.bits(1)]!
      const devices = deviceCounts.pick(random)
      const events = devices * auctionsADevice * (0.35 + 0.65 * random.exponential()) * tide.events
      const winRate = Math.min(0.95, format.winRate[tier]! * cohort.appeal)

      let creativeFragments = parts.noCreative
      let latencyFragments = parts.noLatency
      let auctions = 0
      let won = 0
      let bids = 0
      let bidMicros = 0
      let winningMicros = 0
      let cleared = 0
      let clicks = 0
      let netMicros = 0
      let videoStart = 0
      let videoMidpoint = 0
      let videoComplete = 0

      if (random.unit() < lostRows) {
        auctions = Math.max(1, random.round((events * (1 - winRate)) / lostRows))
        // Bids below the floor are bids too.
        bids = random.round(auctions * random.between(0, 0.7))
        bidMicros = Math.round(bids * floor.microsEach * random.between(0.35, 0.9))
      } else {
        const creative = slot.creatives.pick(random)
        creativeFragments = creative.fragments
        auctions = Math.max(1, random.round((events * winRate) / (1 - lostRows)))
        won = auctions
        const asked = creative.price * cohort.appeal * tide.prices * (0.95 + 0.5 * random.exponential())
        const microsEach = floor.microsEach * Math.max(1.01, asked)
        const rivals = random.round(won * random.between(0.2, rivalsMax[tier]!))
        bids = won + rivals
        winningMicros = Math.round(won * microsEach)
        bidMicros = winningMicros + Math.round(rivals * microsEach * random.between(0.4, 0.9))
        cleared = Math.min(won, random.round(won * format.survivalRate * random.between(0.92, 1.06)))
        clicks = Math.min(cleared, random.round(cleared * format.clickRate[tier]! * random.between(0.6, 1.4)))
        netMicros = Math.floor(((winningMicros * cleared) / won) * (1 - platformFee))
        if (cleared > 0) latencyFragments = parts.latencies[tier]!.pick(random)
        if (creative.video) {
          videoStart = Math.min(cleared, random.round(cleared * random.between(0.94, 1)))
          videoComplete = Math.min(
            videoStart,
            random.round(videoStart * format.completionRate * random.between(0.9, 1.08)),
          )
          videoMidpoint = videoComplete + Math.round((videoStart - videoComplete) * random.between(0.3, 0.7))
        }
      }

      const hour = (localHours.pick(random) - cohort.hoursAhead + 24) % 24
      const fragments = [
        slot.fragments,
        cohort.fragments,
        creativeFragments,
        floor.fragments,
        latencyFragments,
        parts.hours[hour]!,
      ]
      writer.startRow()
      for (let stretch = 0; stretch < owners.length; stretch++)
        writer.fragment(fragments[owners[stretch]!]![indexes[stretch]!]!)
      writer.count(auctions)
      writer.count(won)
      writer.count(bids)
      writer.money(bidMicros)
      writer.money(winningMicros)
      writer.count(cleared)
      writer.count(clicks)
      writer.money(netMicros)
      writer.count(videoStart)
      writer.count(videoMidpoint)
      writer.count(videoComplete)
      drawDevices(cohort.pool, tide.turn, Math.min(devices, auctions), random, writer)
      writer.endRow()
    }
  }
  return writer.take()
}
