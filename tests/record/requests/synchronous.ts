import { post, type Step } from '../step.ts'

const week = { start: '2026-11-08', end: '2026-11-14', dimensions: ['Day'], metrics: ['Auctions'] }
const ask = post('synchronous', week)
const platform = post(
  'synchronous',
  { start: '2026-11-08', end: '2026-11-14', dimensions: ['Country'], metrics: ['Ad Requests'] },
  { cube: 'platform-performance' },
)
const byCountry = { dimensions: ['Country'] }
const sortBy = (...sort: readonly unknown[]) => ({ sort })

/** POST /v2/data/synchronous: what is asked for, the order of rows, limits and days. */
export const synchronous: readonly Step[] = [
  ask('a week by day'),
  post('synchronous', week, { cube: 'publisher_auctions_cube' })('the full name of the cube'),
  post('synchronous', week, { cube: 'AUCTIONS' })('the name of the cube in capitals'),
  post('synchronous', week, { key: 'borealis' })('another account sees its own facts'),
  post('synchronous', week, { key: 'dune' })('an account without facts'),
  post('synchronous', week, { key: 'cumulus' })('an account with one cube'),

  ask('no dimensions', { dimensions: [] }),
  ask('no dimensions, without loaded days', { start: '2026-11-05', end: '2026-11-05', dimensions: [] }),
  ask('ratios of no dimensions, without loaded days', {
    start: '2026-11-05',
    end: '2026-11-05',
    dimensions: [],
    metrics: ['CTR', 'Net Revenue', 'Uniques', 'Auctions', 'eCPM'],
  }),
  ask('a day that is not loaded', { start: '2026-11-05', end: '2026-11-05' }),
  ask('two dimensions', { dimensions: ['Country', 'OS'], metrics: ['Auctions', 'Uniques'] }),
  ask('five metrics', { metrics: ['eCPM', 'Uniques', 'Auctions', 'CTR', 'Net Revenue'] }),
  ask('the order of fields is that of the query', { dimensions: ['OS', 'Day'], metrics: ['Clicks', 'Auctions'] }),
  ask('names in any case', { dimensions: ['dAY', 'COUNTRY'], metrics: ['auctions', 'ecpm', 'Ctr'] }),
  ask('names with spaces around them', { dimensions: [' Day '], metrics: ['\tAuctions'] }),
  ask('names as text with commas', { dimensions: 'Day,Country', metrics: 'Auctions, eCPM' }),
  ask('one name as text', { dimensions: 'Day', metrics: 'Auctions' }),
  ask('dimensions as empty text', { dimensions: '' }),
  ask('dimensions as a blank', { dimensions: '  ' }),
  ask('dataset is the name of the cube', { dataset: 'publisher_auctions_cube' }),
  ask('dataset is the short name of the cube', { dataset: 'Auctions' }),
  ask('dataset is not a cube', { dataset: 'anything' }),
  ask('dataset is empty', { dataset: '' }),
  ask('empty filters and sort', { filters: [], sort: [] }),
  ask('ratios with denominator 0 are null and last', { ...byCountry, metrics: ['CTR'], ...sortBy({ field: 'CTR' }) }),
  ask('nulls are last descending too', {
    ...byCountry,
    metrics: ['CTR'],
    ...sortBy({ field: 'CTR', order: 'desc' }),
  }),
  ask('video completion rate with denominator 0', {
    dimensions: ['OS', 'Country'],
    metrics: ['Video Completion Rate'],
  }),

  ask('sort by a dimension ascending', { ...byCountry, ...sortBy({ field: 'Country', order: 'asc' }) }),
  ask('sort by a dimension descending', { ...byCountry, ...sortBy({ field: 'Country', order: 'Desc' }) }),
  ask('sort by day descending', sortBy({ field: 'day', order: 'DESC' })),
  ask('sort by a metric ascending', { ...byCountry, ...sortBy({ field: 'Auctions', order: 'ASC' }) }),
  ask('sort by a metric descending', { ...byCountry, ...sortBy({ field: 'auctions', order: 'desc' }) }),
  ask('sort by a metric that is not selected', { ...byCountry, ...sortBy({ field: 'Clicks', order: 'desc' }) }),
  ask('sort by uniques that are not selected', { ...byCountry, ...sortBy({ field: 'Uniques', order: 'desc' }) }),
  ask('sort without an order', { ...byCountry, ...sortBy({ field: 'Net Revenue' }) }),
  ask('sort by an order with spaces', { ...byCountry, ...sortBy({ field: ' Country ', order: ' desc ' }) }),
  ask('sort by two fields', {
    dimensions: ['OS', 'Country'],
    ...sortBy({ field: 'OS', order: 'desc' }, { field: 'Auctions', order: 'desc' }),
  }),
  ask('sort by five fields', {
    dimensions: ['OS', 'Country'],
    ...sortBy({ field: 'Win Rate' }, { field: 'CTR' }, { field: 'OS' }, { field: 'Uniques' }, { field: 'Country' }),
  }),
  ask('equal rows come in the order of the other dimensions', {
    dimensions: ['OS', 'Country'],
    metrics: ['Bid Depth'],
    ...sortBy({ field: 'Bid Depth' }),
  }),
  ask('text sorts by its bytes', { dimensions: ['Site'], ...sortBy({ field: 'Site' }) }),

  ask('limit 1', { limit: 1 }),
  ask('limit of all rows', { limit: 7 }),
  ask('limit of one row fewer', { limit: 6 }),
  ask('limit 1000', { limit: 1_000 }),
  ask('limit 1 of no dimensions', { dimensions: [], limit: 1 }),
  ask('more rows than the default limit', { start: '2026-11-10', end: '2026-11-10', dimensions: ['Creative ID'] }),
  ask('more rows than a limit', {
    start: '2026-11-10',
    end: '2026-11-10',
    dimensions: ['Creative ID'],
    sort: [{ field: 'Auctions', order: 'desc' }],
    limit: 3,
  }),
  ask('a day that has a rollup', { start: '2026-11-10', end: '2026-11-10', dimensions: ['Country', 'OS'] }),
  ask('uniques of a day that has a rollup', {
    start: '2026-11-10',
    end: '2026-11-10',
    dimensions: ['OS'],
    metrics: ['Uniques', 'Auctions'],
  }),
  ask('a day that has a rollup, by what it lacks', {
    start: '2026-11-10',
    end: '2026-11-10',
    dimensions: [],
    filters: [{ field: 'Creative ID', operator: '=', value: 'creative-0099' }],
  }),

  ask('the oldest day', { start: '2026-10-31', end: '2026-11-13' }),
  ask('the oldest day alone', { start: '2026-10-31', end: '2026-10-31' }),
  ask('14 days up to today', { start: '2026-11-01', end: '2026-11-14' }),
  ask('today alone', { start: '2026-11-14', end: '2026-11-14' }),
  { clock: '2026-11-14T23:59:59.999Z' },
  ask('the last moment of today', { start: '2026-10-31', end: '2026-11-13' }),
  { clock: '2026-11-15T00:00:00.000Z' },
  ask('the first moment of tomorrow', { start: '2026-11-15', end: '2026-11-15' }),
  ask('the oldest day is too old tomorrow', { start: '2026-10-31', end: '2026-11-13' }),
  { clock: '2026-11-14T12:00:00Z' },

  platform('the other cube'),
  platform('the other cube without dimensions', { dimensions: [] }),
  platform('daily uniques over days', {
    dimensions: [],
    metrics: ['Req DAU', 'Imp DAU', 'Clk DAU', 'Uniques'],
  }),
  platform('daily uniques over days of which one is not loaded', {
    start: '2026-11-04',
    end: '2026-11-06',
    metrics: ['Req DAU', 'Imp DAU', 'Clk DAU', 'Uniques'],
  }),
  platform('daily uniques by day', { dimensions: ['Day'], metrics: ['Req DAU', 'Imp DAU', 'Clk DAU'] }),
  platform('daily uniques without loaded days', { start: '2026-11-05', end: '2026-11-05', metrics: ['Req DAU'] }),
  platform('daily uniques without loaded days, without dimensions', {
    start: '2026-11-05',
    end: '2026-11-05',
    dimensions: [],
    metrics: ['Req DAU', 'Latency (Demand)', 'NR Revenue'],
  }),
  platform('sort by daily uniques', {
    metrics: ['Fills'],
    ...sortBy({ field: 'Clk DAU', order: 'desc' }),
  }),
  platform('network-reported eCPM with denominator 0', {
    dimensions: ['OS', 'Country'],
    metrics: ['NR eCPM', 'NR Revenue'],
    ...sortBy({ field: 'NR eCPM' }),
  }),
  {
    name: 'JSON with a charset',
    url: '/v2/data/synchronous?cube=auctions',
    body: week,
    headers: { 'content-type': 'application/json; charset=utf-8' },
  },
  {
    name: 'JSON with spaces and line breaks',
    url: '/v2/data/synchronous?cube=auctions',
    body: JSON.stringify(week, null, 4),
  },
  { name: 'the same question again', url: '/v2/data/synchronous?cube=auctions', body: week },
  {
    name: 'gzip is not for answers',
    url: '/v2/data/synchronous?cube=auctions',
    body: week,
    headers: { 'accept-encoding': 'gzip' },
  },
]
