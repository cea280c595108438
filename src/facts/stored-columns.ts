import type { Cube, Dimension, Measure } from '../catalog/cube.ts'

type Column<Type> = { readonly column: string; readonly type: Type }

/** A cube as far as its tables need it. */
export type FactTable = Pick<Cube, 'name' | 'table' | 'sortKey'> & {
  readonly dimensions: readonly Column<Dimension['type']>[]
  readonly measures: readonly Column<Measure['type']>[]
}

const columns = <const Type>(type: Type, names: string): readonly Column<Type>[] =>
  names.split(/\s+/).map((column) => ({ column, type }))

/**
 * The tables of the first release. Never change them: they describe facts that are stored without a record of their
 * columns. Later columns are in the catalog alone, and each load records which ones it wrote.
 */
export const firstTables: readonly FactTable[] = [
  {
    name: 'publisher_auctions_cube',
    table: 'auctions_facts',
    sortKey: ['adunit_id', 'country'],
    dimensions: columns(
      'string',
      `ad_size adgroup_id adgroup_name adgroup_priority adomain adunit_id adunit_name age_range app_version app_name
      app_id adunit_format bidder_name buyer_seat consent_status consent_status_details country creative_id creative_mraid
      creative_video_served device gender global_aid has_device_id has_location impression_latency
      interstitial_playables_enabled inventory_package os os_version order_advertiser order_id order_name price_floor
      publisher publisher_id request_video_duration response_deal_id response_video_duration sdk_version site time
      video_inventory_enabled viewability_vendors_response winning_creative_ad_size`,
    ),
    measures: [
      ...columns('count', 'auctions auctions_won bids'),
      ...columns('money', 'bid_amount winning_bid_amount'),
      ...columns('count', 'cleared clicks'),
      ...columns('money', 'net_revenue'),
      ...columns('count', 'video_start video_midpoint video_complete'),
    ],
  },
  {
    name: 'publisher_platform_performance_cube',
    table: 'platform_performance_facts',
    sortKey: ['adunit_id', 'country'],
    dimensions: columns(
      'string',
      `account_key publisher_name app_id app_name adgroup_type adgroup_network_type adgroup_id adgroup_name adunit_id
      adunit_name adunit_format country os order_id order_advertiser order_name nr_network_type sdk_version`,
    ),
    measures: [
      ...columns('count', 'ad_requests attempts attempt_responses fills impressions clicks'),
      ...columns('money', 'revenue'),
      ...columns('count', 'demand_latency_ms waterfall_latency_ms nr_impressions'),
      ...columns('money', 'nr_revenue'),
    ],
  },
]

/** The columns of facts, separated by spaces, as a load records them. All facts have account, day and devices besides. */
export const listColumns = ({ dimensions, measures }: Pick<FactTable, 'dimensions' | 'measures'>): string =>
  [...dimensions.filter(({ type }) => type === 'string'), ...measures].map(({ column }) => column).join(' ')

/** The columns that a load wrote, from its record. */
export const columnsOfLoad = (cube: Cube, recorded: string | null | undefined): string =>
  recorded ?? listColumns(firstTables.find(({ name }) => name === cube.name) ?? cube)
