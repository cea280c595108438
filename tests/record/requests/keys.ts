import type { Step } from '../step.ts'

const url = '/v2/data?cube=auctions'
/** Well-formed, with the right checksum, and no account's. */
const neverMade = 'adc_TCVe9RLhrlbojyjS6ccCo53yWVDas4qpphdfkrbP4BZnZ4'
const checksumIsWrong = `adc_${'a'.repeat(40)}000000`
const week = { start: '2026-11-08', end: '2026-11-14', dimensions: ['Day'], metrics: ['Auctions'] }

/** API keys, and accounts that are changed. */
export const keys: readonly Step[] = [
  { name: 'no key', url, key: null },
  { name: 'an empty key', url, key: '' },
  { name: 'no key, POST', url: '/v2/data/synchronous?cube=auctions', key: null, body: week },
  { name: 'no key, HEAD', method: 'HEAD', url, key: null },
  { name: 'no key, with a malformed body', url: '/v2/data/synchronous', key: null, body: '{' },
  { name: 'a malformed key', url, key: 'secret' },
  { name: 'a key with a wrong checksum', url, key: checksumIsWrong },
  { name: 'an unknown key', url, key: neverMade },
  { name: 'a very long key', url, key: 'x'.repeat(2_000) },
  { name: 'the key as a bearer', url, key: null, headers: { authorization: 'Bearer x' } },
  { name: 'an expired key', url, key: 'expired' },
  { name: 'an expired key, POST', url: '/v2/data/synchronous?cube=auctions', key: 'expired', body: week },
  { name: 'a key in its last second', url, key: 'about to expire' },
  { clock: '2026-11-14T12:00:01Z' },
  { name: 'a key whose last second is over', url, key: 'about to expire' },
  { clock: '2026-11-14T12:00:00Z' },
  { name: 'a key before it is deleted', url, key: 'deleted' },
  { deleteKey: 'deleted' },
  { name: 'a deleted key', url, key: 'deleted' },
  { name: 'another key of the account', url, key: 'second' },
  { deleteKey: 'deleted and expired' },
  { name: 'a deleted key that would be expired', url, key: 'deleted and expired' },
  { name: 'a disabled account, before', url, key: 'closed' },
  { disableAccount: 'closed' },
  { name: 'a disabled account', url, key: 'closed' },
  { name: 'a disabled account, POST', url: '/v2/data/synchronous?cube=auctions', key: 'closed', body: week },
  { name: 'a disabled account, unknown path', url: '/v2/unknown', key: 'closed' },
  {
    name: 'a report, before its cube is forbidden: start',
    url: '/v2/data/asynchronous?cube=auctions',
    key: 'shrinking',
    body: week,
  },
  { makeReports: true },
  { name: 'a report, before its cube is forbidden: status', url: '/v2/data/status', key: 'shrinking' },
  { name: 'a report, before its cube is forbidden: download', url: '{link 1}', key: null },
  { allowCubes: ['platform-performance'], account: 'shrinking' },
  { name: 'a cube that was forbidden', url, key: 'shrinking' },
  { name: 'the cubes that are left', url: '/v2/data', key: 'shrinking' },
  { name: 'the status of a report of a forbidden cube', url: '/v2/data/status', key: 'shrinking' },
  { name: 'a report of a forbidden cube', url: '{link 1}', key: null },
  { disableAccount: 'shrinking' },
  { name: 'a report of a disabled account', url: '{link 1}', key: null },
  { name: 'no key, for the 60th time from one address', url, key: null, from: '192.0.2.1', times: 60 },
  { name: 'no key, for the 61st time', url, key: null, from: '192.0.2.1' },
  { name: 'a wrong key, for the 62nd time', url, key: 'secret', from: '192.0.2.1' },
  { name: 'a forged download, for the 63rd time', url: '/reports/job_0/x.csv', key: null, from: '192.0.2.1' },
  { name: 'a valid key from that address', url, from: '192.0.2.1' },
  { clock: '2026-11-14T12:00:01Z' },
  { name: 'no key, a second later', url, key: null, from: '192.0.2.1' },
]
