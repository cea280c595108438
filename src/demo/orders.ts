import { hashOf, hex } from './random.ts'

export type AdgroupType = 'guaranteed' | 'network' | 'marketplace' | 'promotional'

export type Adgroup = {
  readonly id: string
  readonly name: string
  /** 1 is served first. */
  readonly priority: number
  readonly type: AdgroupType
  /** The network behind it, empty where there is none. */
  readonly networkType: string
  /** Whether it sells by private deal rather than in the open auction. */
  readonly byDeal: boolean
}

export type Order = {
  readonly id: string
  readonly name: string
  readonly advertiser: string
  readonly adgroups: readonly Adgroup[]
}

type Terms = {
  readonly type: AdgroupType
  readonly priority: number
  readonly networkType?: string
  readonly byDeal?: boolean
}

/** Writes the orders of one publisher; its id goes into theirs, because two publishers may use the same names. */
export function orderBook(publisherId: string) {
  const order = (name: string, advertiser: string, terms: Terms, adgroupNames: readonly string[]): Order => ({
    id: `or_${hex(hashOf(`order ${publisherId} ${name}`))}`,
    name,
    advertiser,
    adgroups: adgroupNames.map((adgroupName, index) => ({
      id: `ag_${hex(hashOf(`adgroup ${publisherId} ${name} ${adgroupName}`))}`,
      name: `${advertiser} - ${adgroupName}`,
      priority: terms.priority + index,
      type: terms.type,
      networkType: terms.networkType ?? '',
      byDeal: terms.byDeal ?? false,
    })),
  })
  return {
    marketplace: (...adgroupNames: readonly string[]) =>
      order('Open marketplace', 'Marketplace', { type: 'marketplace', priority: 9 }, adgroupNames),
    privateDeals: (...adgroupNames: readonly string[]) =>
      order('Private marketplace', 'Private deals', { type: 'marketplace', priority: 5, byDeal: true }, adgroupNames),
    network: (name: string, ...adgroupNames: readonly string[]) =>
      order(
        `${name} mediation`,
        name,
        { type: 'network', priority: 10, networkType: name.toLowerCase() },
        adgroupNames,
      ),
    guaranteed: (advertiser: string, name: string, ...adgroupNames: readonly string[]) =>
      order(name, advertiser, { type: 'guaranteed', priority: 1 }, adgroupNames),
    promotional: (advertiser: string, ...adgroupNames: readonly string[]) =>
      order('House promotion', advertiser, { type: 'promotional', priority: 16 }, adgroupNames),
  }
}
