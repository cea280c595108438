import type { Cube, Metric } from '../../../src/catalog/cube.ts'

type Figures = {
  /** Names of the metrics of the tiles, in this order. The top lists are sorted by the first one. */
  readonly metrics: readonly [revenue: string, requests: string, ecpm: string, rate: string, ctr: string]
  readonly tops: readonly { readonly dimension: string; readonly plural: string }[]
}

const apps = { dimension: 'App Name', plural: 'apps' }
const countries = { dimension: 'Country', plural: 'countries' }

const figuresByCube: Readonly<Record<string, Figures>> = {
  auctions: {
    metrics: ['Net Revenue', 'Auctions', 'eCPM', 'Clear Rate', 'CTR'],
    tops: [apps, countries, { dimension: 'Bidder Name', plural: 'bidders' }],
  },
  // The ad server has no bidders; its demand comes from orders.
  'platform-performance': {
    metrics: ['Adserver Revenue', 'Ad Requests', 'Adserver eCPM', 'Fill Rate (Inv)', 'Adserver CTR'],
    tops: [apps, countries, { dimension: 'Order Name', plural: 'orders' }],
  },
}

/** Figures of the overview for a cube. */
export const figuresOf = ({ alias }: Cube): Figures => figuresByCube[alias]!

export const metricsOf = (cube: Cube): readonly Metric[] =>
  figuresOf(cube).metrics.map((name) => cube.metrics.find((metric) => metric.name === name)!)
