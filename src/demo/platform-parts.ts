import { platformPerformance } from '../catalog/platform-performance.ts'
import { audiencesOf, type Cohort } from './audience.ts'
import { keepFragments, layoutOf, type CsvLayout, type Fields, type Fragments } from './csv-layout.ts'
import { CsvWriter } from './csv-writer.ts'
import { formats, type Format } from './formats.ts'
import type { AdgroupType } from './orders.ts'
import { placementsOf, type Placement } from './placements.ts'
import type { DemoPublisher } from './publishers.ts'
import type { Lottery } from './random.ts'

/** How the ad groups of a type are served. */
type Serving = {
  /** Calls made for a request. */
  readonly depth: number
  /** The share of calls that are answered. */
  readonly answerRate: number
  /** The share of requests that get an ad, by tier. */
  readonly fillRate: readonly number[]
  /** Against the price of the marketplace. */
  readonly price: number
  readonly latencyMs: number
}

const servings: Readonly<Record<AdgroupType, Serving>> = {
  guaranteed: { depth: 1.05, answerRate: 0.995, fillRate: [0.97, 0.96, 0.95], price: 1.7, latencyMs: 55 },
  marketplace: { depth: 2.2, answerRate: 0.94, fillRate: [0.67, 0.54, 0.4], price: 1, latencyMs: 210 },
  network: { depth: 3.1, answerRate: 0.9, fillRate: [0.6, 0.5, 0.37], price: 0.85, latencyMs: 430 },
  promotional: { depth: 1.02, answerRate: 0.999, fillRate: [0.99, 0.99, 0.98], price: 0, latencyMs: 30 },
}

type Offer = {
  readonly format: Format
  readonly serving: Serving
  readonly network: boolean
  readonly fragments: Fragments
}

/** All that rows of the platform performance cube are put together from. */
export type PlatformParts = {
  readonly writer: CsvWriter
  readonly layout: CsvLayout
  readonly apps: readonly {
    readonly share: number
    readonly offers: Lottery<Offer>
    readonly cohorts: Lottery<Cohort & { readonly fragments: Fragments }>
  }[]
}

const placementFields = ({ publisher, app, version, adunit, order, adgroup }: Placement): Fields => ({
  account_key: publisher.accountKey,
  publisher_name: publisher.name,
  app_id: app.id,
  app_name: app.name,
  adgroup_type: adgroup.type,
  adgroup_network_type: adgroup.networkType,
  adgroup_id: adgroup.id,
  adgroup_name: adgroup.name,
  adunit_id: adunit.id,
  adunit_name: adunit.name,
  adunit_format: adunit.format,
  order_id: order.id,
  order_advertiser: order.advertiser,
  order_name: order.name,
  nr_network_type: adgroup.networkType,
  sdk_version: version.sdk,
})

const allTypes: readonly AdgroupType[] = ['guaranteed', 'network', 'marketplace', 'promotional']

export function createPlatformParts(publisher: DemoPublisher): PlatformParts {
  const writer = new CsvWriter()
  const audiences = audiencesOf(publisher)
  const placements = audiences.map(({ app }) => placementsOf(publisher, app, allTypes))
  const layout = layoutOf(platformPerformance, [
    placementFields(placements[0]!.items[0]!),
    audiences[0]!.cohorts.items[0]!.fields,
  ])
  const offerOf = (placement: Placement): Offer => ({
    format: formats[placement.adunit.format],
    serving: servings[placement.adgroup.type],
    network: placement.adgroup.type === 'network',
    fragments: keepFragments(writer, layout, 0, placementFields(placement)),
  })
  return {
    writer,
    layout,
    apps: audiences.map(({ share, cohorts }, index) => ({
      share,
      offers: placements[index]!.map(offerOf),
      cohorts: cohorts.map((cohort) => ({ ...cohort, fragments: keepFragments(writer, layout, 1, cohort.fields) })),
    })),
  }
}
