import { describe, expect, it } from 'vitest'
import { auctions } from './auctions.ts'
import { describeFormula, type Cube } from './cube.ts'
import { cubes, findCube } from './cubes.ts'
import { asynchronousLimits, commonLimits, synchronousLimits } from './limits.ts'
import { platformPerformance } from './platform-performance.ts'

// Copied from the specification, so that a name that is changed in the catalog alone is noticed.
const auctionsDimensions = `Day, Ad Size, Adgroup Id, Adgroup Name, Adgroup Priority, Adomain, Adunit ID, Adunit Name, Age Range, App Version, App Name, App ID, Adunit Format, Bidder Name, Buyer Seat, Consent Status, Consent Status Details, Country, Creative ID, Creative MRAID, Creative Video Served, Device, Gender, Global Aid, Has Device ID, Has Location, Impression Latency, Interstitial Playables Enabled, Inventory Package, OS, OS Version, Order Advertiser, Order ID, Order Name, Price Floor, Publisher, Publisher Id, Request Video Duration, Response Deal ID, Response Video Duration, SDK Version, Site, Time, Video Inventory Enabled, Viewability Vendors Response, Winning Creative Ad Size`
const auctionsMetrics = `Auctions, Auctions Won, Bid Avg, Bid Depth, Clear Rate, Cleared, Clicks, CTR, eCPM, Net Revenue, Survival Rate, Uniques, Video Complete, Video Completion Rate, Video Midpoint, Video Start, Win Rate, Winning Bid Avg`
const platformDimensions = `Day, Account Key, Publisher Name, App ID, App Name, Adgroup Type, Adgroup Network Type, Adgroup ID, Adgroup Name, Adunit ID, Adunit Name, Adunit Format, Country, OS, Order ID, Order Advertiser, Order Name, NR Network Type, SDK Version`
const platformMetrics = `Ad Requests, Adserver Attempts, Adserver Clicks, Adserver CTR, Adserver eCPM, Adserver Impressions, Adserver Revenue, Attempt Responses, Clk DAU, Fill Rate (Demand), Fill Rate (Inv), Fills, Imp DAU, Latency (Demand), NR eCPM, NR Impressions, NR Revenue, Render Rate, Req DAU, Show Rate (Demand), Show Rate (Inv), Uniques, Waterfall Depth, Waterfall Latency`

const namesOf = (fields: readonly { readonly name: string }[]): string[] => fields.map(({ name }) => name)
const formulasOf = ({ metrics }: Cube) =>
  Object.fromEntries(metrics.map(({ name, formula }) => [name, describeFormula(formula)]))

describe('the auctions cube', () => {
  it('has the 46 dimensions of the specification, in its order, before any others', () => {
    expect(namesOf(auctions.dimensions).slice(0, 46)).toEqual(auctionsDimensions.split(', '))
  })

  it('has the 18 metrics of the specification, in its order, before any others', () => {
    expect(namesOf(auctions.metrics).slice(0, 18)).toEqual(auctionsMetrics.split(', '))
  })

  it('computes every metric as the design says', () => {
    expect(formulasOf(auctions)).toMatchObject({
      Auctions: 'sum(auctions)',
      'Auctions Won': 'sum(auctions_won)',
      'Bid Avg': 'sum(bid_amount) / sum(bids)',
      'Bid Depth': 'sum(bids) / sum(auctions)',
      Cleared: 'sum(cleared)',
      'Clear Rate': 'sum(cleared) / sum(auctions)',
      Clicks: 'sum(clicks)',
      CTR: 'sum(clicks) / sum(cleared)',
      'Net Revenue': 'sum(net_revenue)',
      eCPM: '1000 * sum(net_revenue) / sum(cleared)',
      'Survival Rate': 'sum(cleared) / sum(auctions_won)',
      'Win Rate': 'sum(auctions_won) / sum(auctions)',
      'Winning Bid Avg': 'sum(winning_bid_amount) / sum(auctions_won)',
      'Video Start': 'sum(video_start)',
      'Video Midpoint': 'sum(video_midpoint)',
      'Video Complete': 'sum(video_complete)',
      'Video Completion Rate': 'sum(video_complete) / sum(video_start)',
      Uniques: 'distinct devices over all days of the group',
    })
  })
})

describe('the platform performance cube', () => {
  it('has the 19 dimensions of the specification, in its order, before any others', () => {
    expect(namesOf(platformPerformance.dimensions).slice(0, 19)).toEqual(platformDimensions.split(', '))
  })

  it('has the 24 metrics of the specification, in its order, before any others', () => {
    expect(namesOf(platformPerformance.metrics).slice(0, 24)).toEqual(platformMetrics.split(', '))
  })

  it('computes every metric as the design says', () => {
    expect(formulasOf(platformPerformance)).toMatchObject({
      'Ad Requests': 'sum(ad_requests)',
      'Adserver Attempts': 'sum(attempts)',
      'Attempt Responses': 'sum(attempt_responses)',
      Fills: 'sum(fills)',
      'Adserver Impressions': 'sum(impressions)',
      'Adserver Clicks': 'sum(clicks)',
      'Adserver Revenue': 'sum(revenue)',
      'Adserver CTR': 'sum(clicks) / sum(impressions)',
      'Adserver eCPM': '1000 * sum(revenue) / sum(impressions)',
      'Fill Rate (Demand)': 'sum(fills) / sum(attempts)',
      'Fill Rate (Inv)': 'sum(fills) / sum(ad_requests)',
      'Show Rate (Demand)': 'sum(impressions) / sum(attempts)',
      'Show Rate (Inv)': 'sum(impressions) / sum(ad_requests)',
      'Render Rate': 'sum(impressions) / sum(fills)',
      'Latency (Demand)': 'sum(demand_latency_ms) / sum(attempt_responses)',
      'Waterfall Depth': 'sum(attempts) / sum(ad_requests)',
      'Waterfall Latency': 'sum(waterfall_latency_ms) / sum(ad_requests)',
      'NR Impressions': 'sum(nr_impressions)',
      'NR Revenue': 'sum(nr_revenue)',
      'NR eCPM': '1000 * sum(nr_revenue) / sum(nr_impressions)',
      'Req DAU': 'distinct devices a day where ad_requests > 0, averaged over the loaded days',
      'Imp DAU': 'distinct devices a day where impressions > 0, averaged over the loaded days',
      'Clk DAU': 'distinct devices a day where clicks > 0, averaged over the loaded days',
      Uniques: 'distinct devices over all days of the group',
    })
  })
})

describe.each(cubes.map((cube) => [cube.alias, cube] as const))('every part of the cube %s', (_, cube) => {
  it('has a column of its own, which none of the columns that every fact has is mistaken for', () => {
    const columns = [
      ...cube.dimensions.filter(({ name }) => name !== 'Day').map(({ column }) => column),
      ...cube.measures.map(({ column }) => column),
    ]
    const all = [...columns, 'account', 'day', 'load', 'devices']
    expect(all.filter((column, index) => all.indexOf(column) !== index)).toEqual([])
    expect(columns.filter((column) => !/^[a-z][a-z0-9_]*$/.test(column))).toEqual([])
  })

  it('has the column of the days for Day, the one dimension that is a date', () => {
    expect(cube.dimensions.filter(({ type, column }) => type === 'date' || column === 'day')).toEqual([
      expect.objectContaining({ name: 'Day', column: 'day', type: 'date' }),
    ])
  })

  it('is found by one name alone, whatever its case', () => {
    const names = [...cube.dimensions, ...cube.metrics].map(({ name }) => name.toLowerCase())
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  })

  it('is a formula over measures that exist, if it is a metric', () => {
    const known = new Set(cube.measures.map(({ column }) => column))
    const used = cube.metrics.flatMap(({ formula }) => {
      switch (formula.kind) {
        case 'sum':
        case 'dailyUniques':
          return [formula.measure]
        case 'ratio':
          return [formula.numerator, formula.denominator]
        case 'uniques':
          return []
      }
    })
    expect(used.filter((measure) => !known.has(measure))).toEqual([])
  })

  it('is a field that exists, where it names one', () => {
    const { firstMetrics, tiles, tops, sortKey, synonyms } = cube
    const names = namesOf([...cube.dimensions, ...cube.metrics])
    expect(Object.values(synonyms).filter((name) => !names.includes(name))).toEqual([])
    // A synonym that is a name would never be suggested.
    const lower = new Set(names.map((name) => name.toLowerCase()))
    expect(Object.keys(synonyms).filter((word) => lower.has(word) || word !== word.toLowerCase())).toEqual([])
    const shown = [...firstMetrics, ...tiles]
    expect(shown.filter((name) => !namesOf(cube.metrics).includes(name))).toEqual([])
    expect(Object.values(tops).filter((name) => !namesOf(cube.dimensions).includes(name))).toEqual([])
    expect(sortKey.filter((key) => !cube.dimensions.some(({ column }) => column === key))).toEqual([])
    expect(tiles.length).toBeLessThanOrEqual(synchronousLimits.metricsMax)
  })
})

describe('the limits', () => {
  it('are the two columns of the specification', () => {
    expect(synchronousLimits).toEqual({
      endpoint: 'synchronous',
      rate: { quota: 10, of: 'requests', windowSeconds: 60 },
      available: { days: 14 },
      daysMax: 14,
      dimensionsMax: 2,
      metricsMax: 5,
      rowsMax: 1_000,
    })
    expect(asynchronousLimits).toEqual({
      endpoint: 'asynchronous',
      rate: { quota: 10, of: 'jobs', windowSeconds: 86_400 },
      available: { months: 13 },
      daysMax: 31,
      dimensionsMax: 10,
      metricsMax: 10,
      rowsMax: 10_000_000,
    })
  })

  it('that both endpoints share are those of the specification', () => {
    expect(commonLimits).toMatchObject({ filtersMax: 5, sortsMax: 5, rowsDefault: 1_000, filterValuesMax: 1_000 })
  })
})

describe('a cube', () => {
  it('answers to both of its names, in any case', () => {
    for (const name of ['publisher_auctions_cube', 'auctions', 'PUBLISHER_AUCTIONS_CUBE', 'Auctions']) {
      expect(findCube(name), name).toBe(auctions)
    }
    const platformNames = ['publisher_platform_performance_cube', 'platform-performance', 'Platform-Performance']
    for (const name of [...platformNames, 'Publisher_Platform_Performance_Cube']) {
      expect(findCube(name), name).toBe(platformPerformance)
    }
  })

  it.each([
    '',
    'auction',
    'auctions_facts',
    'platform_performance',
    'publisher-auctions-cube',
    '__proto__',
    'auctions,',
  ])('is not found by the name %j', (name) => {
    expect(findCube(name)).toBeUndefined()
  })
})
