import { describe, expect, it } from 'vitest'
import { platformPerformance } from '../catalog/platform-performance.ts'
import { ascending, breaking, sampleOf, sum, type Row } from './sample-rows.ts'

describe('a platform performance row', () => {
  const rows = sampleOf(platformPerformance)

  it('never counts more of a later step than of an earlier one', () => {
    expect(breaking(rows, (row) => ascending(row, 'clicks impressions fills attempt_responses attempts'))).toEqual([])
    expect(
      breaking(rows, (row) => ascending(row, 'fills ad_requests attempts') && row.number('ad_requests') >= 1),
    ).toEqual([])
    expect(breaking(rows, (row) => ascending(row, 'demand_latency_ms waterfall_latency_ms'))).toEqual([])
  })

  it('has figures of a network only where a network is behind the ad group, close to our own', () => {
    expect(
      breaking(rows, (row) => (row.text('nr_network_type') !== '') === (row.text('adgroup_type') === 'network')),
    ).toEqual([])
    expect(breaking(rows, (row) => row.text('nr_network_type') === row.text('adgroup_network_type'))).toEqual([])
    expect(
      breaking(
        rows,
        (row) => row.text('nr_network_type') !== '' || row.number('nr_impressions') + row.number('nr_revenue') === 0,
      ),
    ).toEqual([])
    const networks = rows.filter((row) => row.text('nr_network_type') !== '')
    const apart = (row: Row): number => Math.abs(row.number('nr_impressions') - row.number('impressions'))
    expect(breaking(networks, (row) => apart(row) <= 0.5 + 0.05 * row.number('impressions'))).toEqual([])
    expect(sum(networks, 'nr_impressions')).toBeGreaterThan(0)
  })
})
