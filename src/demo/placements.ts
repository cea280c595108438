import { formats } from './formats.ts'
import type { Adunit, App, Version } from './inventory.ts'
import type { Adgroup, AdgroupType, Order } from './orders.ts'
import type { DemoPublisher } from './publishers.ts'
import { Lottery, zipf } from './random.ts'

/** Where and for whom an ad is asked: an ad unit in a version of its app, offered to an ad group of an order. */
export type Placement = {
  readonly publisher: DemoPublisher
  readonly app: App
  readonly version: Version
  readonly adunit: Adunit
  readonly order: Order
  readonly adgroup: Adgroup
}

const trafficOfType: Readonly<Record<AdgroupType, number>> = {
  guaranteed: 0.5,
  network: 1.2,
  marketplace: 1.6,
  promotional: 0.35,
}

const traffic = (adgroup: Adgroup): number => trafficOfType[adgroup.type] * (adgroup.byDeal ? 0.25 : 1)

export function placementsOf(publisher: DemoPublisher, app: App, types: readonly AdgroupType[]): Lottery<Placement> {
  const placements: Placement[] = []
  const weights: number[] = []
  const versionWeights = zipf(app.versions.length, 1.5)
  const adunitWeights = zipf(app.adunits.length, 0.4)
  for (const [versionIndex, version] of app.versions.entries())
    for (const [adunitIndex, adunit] of app.adunits.entries())
      for (const order of publisher.orders) {
        const adgroupWeights = zipf(order.adgroups.length, 0.9)
        for (const [adgroupIndex, adgroup] of order.adgroups.entries()) {
          if (!types.includes(adgroup.type)) continue
          placements.push({ publisher, app, version, adunit, order, adgroup })
          weights.push(
            versionWeights[versionIndex]! *
              adunitWeights[adunitIndex]! *
              formats[adunit.format].traffic *
              adgroupWeights[adgroupIndex]! *
              traffic(adgroup),
          )
        }
      }
  return new Lottery(placements, weights)
}
