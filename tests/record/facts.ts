/** The facts of the record: few, and made by a rule, so that they are the same everywhere. */

const auctionsColumns =
  'ad_size adgroup_id adgroup_name adgroup_priority adomain adunit_id adunit_name age_range app_version app_name app_id adunit_format bidder_name buyer_seat consent_status consent_status_details country creative_id creative_mraid creative_video_served device gender global_aid has_device_id has_location impression_latency interstitial_playables_enabled inventory_package os os_version order_advertiser order_id order_name price_floor publisher publisher_id request_video_duration response_deal_id response_video_duration sdk_version site time video_inventory_enabled viewability_vendors_response winning_creative_ad_size'.split(
    ' ',
  )

const platformColumns =
  'account_key publisher_name app_id app_name adgroup_type adgroup_network_type adgroup_id adgroup_name adunit_id adunit_name adunit_format country os order_id order_advertiser order_name nr_network_type sdk_version'.split(
    ' ',
  )

/** Values that are easily damaged by whoever puts text into SQL, CSV or JSON. */
const texts = [
  'plain',
  'PLAIN',
  '',
  'a,b',
  '"quoted"',
  "it's",
  'back\\slash',
  '50%',
  'under_score',
  'line\nbreak',
  'tab\there',
  '😀',
  'ü',
  '=1+1',
  '); DROP TABLE auctions_facts --',
  'two  spaces',
]
const countries = ['US', 'DE', 'us', '', 'FR', 'ü']
const systems = ['iOS', 'Android', '']

/** Loaded days: the oldest that is kept, the edges of both endpoints' ranges, and a gap on 5 November. */
const days = [
  '2025-10-14',
  '2025-10-15',
  '2026-02-28',
  '2026-10-14',
  '2026-10-15',
  '2026-10-30',
  '2026-10-31',
  ...[1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14].map((day) => `2026-11-${String(day).padStart(2, '0')}`),
]
const rowsOfDay = 12
/** A day that is longer than an answer can be, and long enough for a rollup. */
const longDay = { day: '2026-11-10', rows: 1_100 }

type Row = { readonly text: (column: number) => string; readonly row: number; readonly day: number }

const dimensionOf = (column: string, index: number, { text, row, day }: Row): string => {
  // Countries of their own for rows whose measures are all zero: ratios have nothing to divide by there.
  if (column === 'country') return isEmptyRow(row) ? 'ZZ' : countries[(row + day) % countries.length]!
  if (column === 'os') return systems[row % systems.length]!
  if (column === 'creative_id') return `creative-${String(row).padStart(4, '0')}`
  return text(index)
}

const isEmptyRow = (row: number): boolean => row % rowsOfDay === 7

const money = (millionths: number): string =>
  `${Math.floor(millionths / 1e6)}.${String(millionths % 1e6).padStart(6, '0')}`

function auctionsMeasures({ row, day }: Row): Readonly<Record<string, string | number>> {
  const size = isEmptyRow(row) ? 0 : ((row * 37 + day * 11) % 50) + 1
  return {
    auctions: size * 20,
    auctions_won: size * 9,
    bids: size * 31 + (row % 11),
    bid_amount: money(size * 1_234_567 + row * 331),
    winning_bid_amount: money(size * 456_789 + row * 17),
    cleared: size * 7 + (size && row % 5),
    clicks: row % 3 === 0 ? size + (size && day % 4) : 0,
    net_revenue: money(size * 98_765 + row * 7),
    video_start: row % 2 === 0 ? size * 3 + (row % 7) : 0,
    video_midpoint: row % 2 === 0 ? size * 2 : 0,
    video_complete: row % 2 === 0 ? size : 0,
  }
}

function platformMeasures({ row, day }: Row): Readonly<Record<string, string | number>> {
  const size = isEmptyRow(row) ? 0 : ((row * 29 + day * 13) % 40) + 1
  return {
    ad_requests: size * 30,
    attempts: size * 50,
    attempt_responses: size * 41,
    fills: size * 17,
    impressions: size * 11 + (size && row % 5),
    clicks: row % 3 === 0 ? size + (size && day % 4) : 0,
    revenue: money(size * 345_678 + row * 13),
    demand_latency_ms: size * 1_009 + row,
    waterfall_latency_ms: size * 2_003 + day,
    nr_impressions: row % 2 === 0 ? size * 10 + (size && row % 3) : 0,
    nr_revenue: row % 2 === 0 ? money(size * 333_333) : '0',
  }
}

const quote = (value: string | number): string => `"${String(value).replaceAll('"', '""')}"`

type Share = { readonly account: string; readonly day: string; readonly rows: number }

function toCsv(
  columns: readonly string[],
  measuresOf: (row: Row) => Readonly<Record<string, string | number>>,
  shares: readonly Share[],
): string {
  const lines = shares.flatMap(({ account, day, rows }) =>
    Array.from({ length: rows }, (_, index) => {
      const dayIndex = Math.max(0, days.indexOf(day))
      const row: Row = {
        row: index,
        day: dayIndex,
        text: (column) => texts[(index * 7 + column * 3 + dayIndex * 5) % texts.length]!,
      }
      const devices = Array.from(
        { length: index % 5 },
        (_device, each) => `device-${(index * 3 + dayIndex + each) % 40}`,
      )
      const fields = columns.map((column, at) => dimensionOf(column, at, row))
      return [account, day, ...fields, ...Object.values(measuresOf(row)), devices.join(';')].map(quote).join(',')
    }),
  )
  const measures = Object.keys(measuresOf({ row: 0, day: 0, text: String }))
  return [['account', 'day', ...columns, ...measures, 'devices'].join(','), ...lines, ''].join('\n')
}

/** Accounts that have all facts of the record. */
const full = ['aurora', 'exporter', 'downloader']
const every = full.flatMap((account) => days.map((day) => ({ account, day, rows: rowsOfDay })))
const few = ['2026-11-01', '2026-11-09'].map((day) => ({ account: 'borealis', day, rows: 2 }))

/** The loads of the record, in their order. */
export const loads = [
  {
    cube: 'auctions',
    mode: 'replace',
    csv: toCsv(auctionsColumns, auctionsMeasures, [
      ...every.map((share) =>
        share.account === 'aurora' && share.day === longDay.day ? { ...share, rows: longDay.rows } : share,
      ),
      ...few,
      { account: 'cumulus', day: '2026-11-14', rows: 3 },
    ]),
  },
  { cube: 'platform-performance', mode: 'replace', csv: toCsv(platformColumns, platformMeasures, [...every, ...few]) },
  {
    cube: 'auctions',
    mode: 'append',
    csv: toCsv(auctionsColumns, auctionsMeasures, [{ account: 'aurora', day: '2026-11-13', rows: 2 }]),
  },
] as const
