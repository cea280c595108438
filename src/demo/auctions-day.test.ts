import { describe, expect, it } from 'vitest'
import { auctions } from '../catalog/auctions.ts'
import { ascending, breaking, sampleOf, sum, type Row } from './sample-rows.ts'

describe('an auctions row', () => {
  const rows = sampleOf(auctions)
  const floorOf = (row: Row): number => row.number('price_floor') / 1000

  it('never counts more of a later step than of an earlier one', () => {
    expect(
      breaking(rows, (row) => ascending(row, 'clicks cleared auctions_won auctions') && row.number('auctions') >= 1),
    ).toEqual([])
    expect(breaking(rows, (row) => ascending(row, 'video_complete video_midpoint video_start cleared'))).toEqual([])
    expect(breaking(rows, (row) => ascending(row, 'auctions_won bids'))).toEqual([])
  })

  it('earns no more than was bid for what was shown', () => {
    expect(breaking(rows, (row) => ascending(row, 'net_revenue winning_bid_amount bid_amount'))).toEqual([])
    const won = rows.filter((row) => row.number('auctions_won') > 0)
    expect(
      breaking(
        won,
        (row) =>
          row.number('net_revenue') <=
          (row.number('winning_bid_amount') * row.number('cleared')) / row.number('auctions_won'),
      ),
    ).toEqual([])
    expect(
      breaking(won, (row) => row.number('winning_bid_amount') >= floorOf(row) * row.number('auctions_won')),
    ).toEqual([])
  })

  it('names a bidder and a creative exactly where an auction was won', () => {
    const names = ['bidder_name', 'creative_id', 'adomain', 'creative_video_served', 'winning_creative_ad_size']
    expect(
      breaking(rows, (row) => names.every((name) => (row.text(name) !== '') === row.number('auctions_won') > 0)),
    ).toEqual([])
    expect(breaking(rows, (row) => (row.text('impression_latency') !== '') === row.number('cleared') > 0)).toEqual([])
  })

  it('plays videos only where the slot takes video and the creative is one', () => {
    const video = (row: Row): boolean =>
      row.text('video_inventory_enabled') === 'true' && row.text('creative_video_served') === 'true'
    expect(breaking(rows, (row) => row.number('video_start') === 0 || video(row))).toEqual([])
    expect(sum(rows, 'video_complete')).toBeGreaterThan(0)
  })
})
