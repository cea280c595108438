import type { Step } from '../step.ts'

const key = 'exporter'
const week = { start: '2026-11-08', end: '2026-11-14', dimensions: ['Day'], metrics: ['Auctions'] }
type Report = { readonly name: string; readonly cube?: string; readonly query?: object }

const made: readonly Report[] = [
  {
    name: 'ten dimensions and ten metrics',
    query: {
      dimensions: ['Day', 'Country', 'OS', 'Site', 'Device', 'Gender', 'Publisher', 'Time', 'App ID', 'App Name'],
      metrics: [
        'Auctions',
        'Auctions Won',
        'Bid Avg',
        'Bid Depth',
        'Clear Rate',
        'Cleared',
        'Clicks',
        'CTR',
        'eCPM',
        'Net Revenue',
      ],
      start: '2026-11-14',
    },
  },
  {
    name: 'other metrics',
    query: {
      dimensions: ['Country'],
      metrics: [
        'Survival Rate',
        'Uniques',
        'Video Complete',
        'Video Completion Rate',
        'Video Midpoint',
        'Video Start',
        'Win Rate',
        'Winning Bid Avg',
      ],
    },
  },
  { name: 'no rows', query: { start: '2026-11-05', end: '2026-11-05' } },
  {
    name: 'no rows and no dimensions',
    query: { start: '2026-11-05', end: '2026-11-05', dimensions: [], metrics: ['Auctions', 'CTR', 'Uniques'] },
  },
  { name: 'values that CSV has to quote', query: { dimensions: ['Site', 'Device'] } },
  { name: 'the oldest day', query: { start: '2025-10-14', end: '2025-11-13' } },
  {
    name: '31 days, with a limit above that of synchronous queries',
    query: { start: '2026-10-15', end: '2026-11-14', limit: 10_000_000 },
  },
  {
    name: 'a filter, a sort and a limit',
    query: {
      limit: 5,
      dimensions: ['Country'],
      metrics: ['CTR', 'Uniques'],
      filters: [{ field: 'Country', operator: 'not in', values: ['US'] }],
      sort: [
        { field: 'CTR', order: 'desc' },
        { field: 'Country', order: 'desc' },
      ],
    },
  },
  {
    name: 'names as text, sorted by a metric that is not selected',
    query: { dimensions: 'os, country', metrics: 'ECPM', dataset: 'auctions', sort: [{ field: 'Clicks' }] },
  },
  {
    name: 'the other cube',
    cube: 'platform-performance',
    query: {
      dimensions: ['Day', 'Country'],
      metrics: ['Ad Requests', 'Req DAU', 'Imp DAU', 'Clk DAU', 'Uniques', 'NR eCPM', 'Latency (Demand)', 'NR Revenue'],
    },
  },
  {
    name: 'the other cube without dimensions',
    cube: 'publisher_platform_performance_cube',
    query: {
      dimensions: [],
      metrics: ['Req DAU', 'Imp DAU', 'Clk DAU', 'Uniques', 'Adserver CTR', 'Fill Rate (Inv)'],
    },
  },
]

/** Reports of all kinds: how they are accepted, their status and their bytes. */
export const reports: readonly Step[] = [
  ...made.flatMap(({ name, cube = 'auctions', query }, index): readonly Step[] => [
    { clock: `2026-11-14T12:10:${String(index).padStart(2, '0')}Z` },
    { name: `${name}: start`, url: `/v2/data/asynchronous?cube=${cube}`, key, body: { ...week, ...query } },
  ]),
  { clock: '2026-11-14T12:11:00Z' },
  { makeReports: true },
  ...made.flatMap(({ name }, index): readonly Step[] => [
    { name: `${name}: status`, url: `/v2/data/status?jobId={job ${index + 1}}`, key },
    { name: `${name}: download`, url: `{link ${index + 1}}`, key: null },
  ]),
]
