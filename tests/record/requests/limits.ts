import type { RecordedRequest, Step } from '../step.ts'

const query = { start: '2026-11-14', end: '2026-11-14', dimensions: [], metrics: ['Auctions'] }
const key = 'limited'
const times = (count: number, ask: (index: number) => RecordedRequest): readonly RecordedRequest[] =>
  Array.from({ length: count }, (_, index) => ({ ...ask(index + 1), keepsCounts: true as const }))

/** Rate limits: every rule that a request comes under, on 200 and on 429. */
export const limits: readonly Step[] = [
  ...times(11, (index) => ({ name: `data GET ${index}`, url: '/v2/data?cube=auctions', key })),
  ...times(2, (index) => ({ name: `data GET by HEAD ${index}`, method: 'HEAD', url: '/v2/data', key })),
  ...times(1, () => ({ name: 'data GET of an unknown path', url: '/v2/data/unknown', key })),
  ...times(1, () => ({ name: 'data GET under another version', url: '/v1/data', key })),
  ...times(1, () => ({ name: 'another GET still passes', url: '/v2/line-items', key })),
  ...times(1, () => ({ name: 'DELETE still passes', method: 'DELETE', url: '/v2/data/status?jobId=x', key })),
  ...times(1, () => ({ name: 'another account still passes', url: '/v2/data?cube=auctions', key: 'borealis' })),
  { clock: '2026-11-14T12:00:59.999Z' },
  ...times(1, () => ({ name: 'data GET a millisecond too early', url: '/v2/data?cube=auctions', key })),
  { clock: '2026-11-14T12:01:00.000Z' },
  ...times(1, () => ({ name: 'data GET a minute later', url: '/v2/data?cube=auctions', key })),
  { clock: '2026-11-14T12:01:30.500Z' },
  ...times(1, () => ({ name: 'data GET half a minute later', url: '/v2/data?cube=auctions', key })),

  { clock: '2026-11-14T12:05:00Z' },
  ...times(3, (index) => ({
    name: `synchronous ${index}`,
    url: '/v2/data/synchronous?cube=auctions',
    key,
    body: query,
  })),
  { clock: '2026-11-14T12:05:10Z' },
  ...times(1, () => ({ name: 'an invalid query counts', url: '/v2/data/synchronous?cube=auctions', key, body: {} })),
  ...times(1, () => ({ name: 'a wrong method counts', method: 'POST', url: '/v2/data', key })),
  ...times(2, (index) => ({
    name: `synchronous, too many ${index}`,
    url: '/v2/data/synchronous?cube=auctions',
    key,
    body: query,
  })),
  ...times(1, () => ({
    name: 'asynchronous, too many data POST',
    url: '/v2/data/asynchronous?cube=auctions',
    key,
    body: query,
  })),
  ...times(1, () => ({ name: 'a POST elsewhere still passes', url: '/v2/unknown', key, body: {} })),

  { clock: '2026-11-14T12:10:00Z' },
  ...times(6, (index) => ({ name: `line items ${index}`, url: '/v2/line-items', key })),
  ...times(2, (index) => ({ name: `line items update ${index}`, method: 'PUT', url: '/v2/line-items', key })),
  ...times(6, (index) => ({ name: `image upload ${index}`, url: '/v2/creatives/image_upload', key, body: {} })),

  {
    name: 'an account with a rate factor',
    url: '/v2/data/synchronous?cube=auctions',
    key: 'exporter',
    body: query,
  },

  // Jobs of a day: each counted on its own, so that only their own rule refuses one.
  { clock: '2026-11-14T13:00:00Z' },
  ...Array.from({ length: 10 }, (_, index): readonly Step[] => [
    { clock: `2026-11-14T13:00:${String(index + 10)}Z` },
    { name: `job ${index + 1} of a day`, url: '/v2/data/asynchronous?cube=auctions', key: 'daily', body: query },
  ]).flat(),
  { name: 'job 11 of a day', url: '/v2/data/asynchronous?cube=auctions', key: 'daily', body: query },
  {
    name: 'an invalid query does not count as a job',
    url: '/v2/data/asynchronous?cube=auctions',
    key: 'daily',
    body: {},
  },
  { name: 'synchronous still passes', url: '/v2/data/synchronous?cube=auctions', key: 'daily', body: query },
  { name: 'cancel a job', method: 'DELETE', url: '/v2/data/status?jobId={job 1}', key: 'daily' },
  { name: 'a cancelled job counts', url: '/v2/data/asynchronous?cube=auctions', key: 'daily', body: query },
  { clock: '2026-11-15T13:00:09.500Z' },
  { name: 'half a second too early', url: '/v2/data/asynchronous?cube=auctions', key: 'daily', body: query },
  { clock: '2026-11-15T13:00:10Z' },
  { name: 'the first job of the next day', url: '/v2/data/asynchronous?cube=auctions', key: 'daily', body: query },
  { name: 'the second has to wait', url: '/v2/data/asynchronous?cube=auctions', key: 'daily', body: query },
  { cancelJobs: 'daily' },
]
