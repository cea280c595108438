import { auctions } from '../catalog/auctions.ts'
import { audiencesOf, type Cohort } from './audience.ts'
import { creativesFor, noCreative, type Creative } from './creatives.ts'
import { keepFragments, layoutOf, type CsvLayout, type Fields, type Fragments } from './csv-layout.ts'
import { CsvWriter } from './csv-writer.ts'
import { formats, type Format, type FormatName } from './formats.ts'
import { placementsOf, type Placement } from './placements.ts'
import type { DemoPublisher } from './publishers.ts'
import { Lottery } from './random.ts'

/** Anything with its columns written out as the layout wants them. */
type Written<T> = T & { readonly fragments: Fragments }

type Floor = Written<{ readonly microsEach: number }>

type Slot = Written<{
  readonly format: Format
  readonly creatives: Lottery<Written<Creative>>
  /** By tier, two of them to try against each other. */
  readonly floors: readonly (readonly [Floor, Floor])[]
}>

/** All that rows of the auctions cube are put together from. */
export type AuctionParts = {
  readonly writer: CsvWriter
  readonly layout: CsvLayout
  readonly apps: readonly {
    readonly share: number
    readonly slots: Lottery<Slot>
    readonly cohorts: Lottery<Written<Cohort>>
  }[]
  readonly noCreative: Fragments
  readonly noLatency: Fragments
  /** By tier: connections are slower where buyers pay less. */
  readonly latencies: readonly Lottery<Fragments>[]
  readonly hours: readonly Fragments[]
}

const placementFields = ({ publisher, app, version, adunit, order, adgroup }: Placement): Fields => ({
  ad_size: adunit.size,
  adgroup_id: adgroup.id,
  adgroup_name: adgroup.name,
  adgroup_priority: String(adgroup.priority),
  adunit_id: adunit.id,
  adunit_name: adunit.name,
  app_version: version.app,
  app_name: app.name,
  app_id: app.id,
  adunit_format: adunit.format,
  interstitial_playables_enabled: String(adunit.playables),
  inventory_package: app.inventoryPackage,
  order_advertiser: order.advertiser,
  order_id: order.id,
  order_name: order.name,
  publisher: publisher.name,
  publisher_id: publisher.id,
  request_video_duration: String(formats[adunit.format].videoSeconds ?? ''),
  sdk_version: version.sdk,
  site: app.site,
  video_inventory_enabled: String(formats[adunit.format].videoSeconds !== undefined),
})

const latencyBuckets = ['0-1s', '1-2s', '2-5s', '5s+']
const latencyWeights = [
  [70, 19, 8, 3],
  [58, 24, 12, 6],
  [44, 28, 18, 10],
]

const hourNames = Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, '0')}:00`)

export function createAuctionParts(publisher: DemoPublisher): AuctionParts {
  const writer = new CsvWriter()
  const audiences = audiencesOf(publisher)
  const placements = audiences.map(({ app }) => placementsOf(publisher, app, ['marketplace']))
  const layout = layoutOf(auctions, [
    placementFields(placements[0]!.items[0]!),
    audiences[0]!.cohorts.items[0]!.fields,
    noCreative,
    { price_floor: '' },
    { impression_latency: '' },
    { time: '' },
  ])
  const write = (owner: number, fields: Fields): Fragments => keepFragments(writer, layout, owner, fields)

  const creatives = new Map<string, Lottery<Written<Creative>>>()
  const writtenCreatives = (formatName: FormatName, size: string, byDeal: boolean): Lottery<Written<Creative>> => {
    const key = `${formatName} ${size} ${byDeal}`
    const kept = creatives.get(key)
    if (kept !== undefined) return kept
    const written = creativesFor(formatName, size, byDeal).map((creative) => ({
      ...creative,
      fragments: write(2, creative.fields),
    }))
    creatives.set(key, written)
    return written
  }
  // A price for a thousand impressions is, in millionths, a thousand times the number for one.
  const floor = (price: string): Floor => ({
    microsEach: Number(price) * 1000,
    fragments: write(3, { price_floor: price }),
  })
  const slotOf = (placement: Placement): Slot => {
    const format = formats[placement.adunit.format]
    return {
      format,
      creatives: writtenCreatives(format.name, placement.adunit.size, placement.adgroup.byDeal),
      floors: format.floors.map(([low, high]) => [floor(low), floor(high)]),
      fragments: write(0, placementFields(placement)),
    }
  }
  const latencies = latencyBuckets.map((bucket) => write(4, { impression_latency: bucket }))
  return {
    writer,
    layout,
    apps: audiences.map(({ share, cohorts }, index) => ({
      share,
      slots: placements[index]!.map(slotOf),
      cohorts: cohorts.map((cohort) => ({ ...cohort, fragments: write(1, cohort.fields) })),
    })),
    noCreative: write(2, noCreative),
    noLatency: write(4, {}),
    latencies: latencyWeights.map((weights) => new Lottery(latencies, weights)),
    hours: hourNames.map((hour) => write(5, { time: hour })),
  }
}
