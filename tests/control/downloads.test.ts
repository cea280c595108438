import { once } from 'node:events'
import { gunzipSync } from 'node:zlib'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { auctions } from '../../src/catalog/auctions.ts'
import { platformPerformance } from '../../src/catalog/platform-performance.ts'
import { noLimits } from '../../src/access/rate-limiter.ts'
import { endOverdueJobs } from '../../src/reports/end-overdue-jobs.ts'
import { deleteExpiredJobs } from '../../src/reports/delete-expired-jobs.ts'
import { sweepReports } from '../../src/reports/sweep-reports.ts'
import { updateAccount } from '../../src/store/accounts.ts'
import { takeJob } from '../setup/claims.ts'
import { openControlService } from '../setup/control-service.ts'
import { makeReport as makeReportOf } from '../setup/make-report.ts'
import { makePlace, openStoreAt } from '../setup/stores.ts'

const store = await openStoreAt(await makePlace('SQLite'))
const service = await openControlService(store, noLimits)
const { ask, clock, send, storage } = service

/** Larger than one chunk of any stream. */
const csv = Buffer.from(
  `Day,Auctions\r\n${Array.from({ length: 30_000 }, (_, row) => `2026-11-14,${row * 7919}\r\n`).join('')}`,
)

const makeReport = () => makeReportOf(store, service, csv)

const get = async (url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') => {
  const response = await service.app.inject({ method, url, headers })
  return { status: response.statusCode, headers: response.headers, bytes: response.rawPayload }
}

describe('a report', () => {
  it('is served uncompressed by default, whole and with its length', async () => {
    const { url, id } = await makeReport()
    const address = await url()
    expect(address).toMatch(
      /^\/reports\/job_\w+\/publisher_auctions_cube_2026-11-14_2026-11-14_\w{8}\.csv\?expires=\d+&signature=[\w-]{43}$/,
    )
    const { status, headers, bytes } = await get(address)
    expect(status).toBe(200)
    expect(bytes.equals(csv)).toBe(true)
    expect(headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-length': String(csv.length),
      'accept-ranges': 'bytes',
      'content-disposition': `attachment; filename="publisher_auctions_cube_2026-11-14_2026-11-14_${id.slice(-8)}.csv"`,
      vary: 'accept-encoding',
    })
    expect(headers).not.toHaveProperty('content-encoding')
    const head = await get(address, {}, 'HEAD')
    expect({ ...head, bytes: head.bytes.length }).toMatchObject({
      status: 200,
      bytes: 0,
      headers: { 'content-length': String(csv.length), etag: headers.etag },
    })
  })

  it.each(['gzip', 'br, gzip;q=0.5', '*', 'GZIP, deflate'])(
    'is served packed to those who accept %s',
    async (accepted) => {
      const { status, headers, bytes } = await get(await (await makeReport()).url(), { 'accept-encoding': accepted })
      expect({ status, encoding: headers['content-encoding'] }).toEqual({ status: 200, encoding: 'gzip' })
      expect(headers['content-length']).toBe(String(bytes.length))
      expect(gunzipSync(bytes).equals(csv)).toBe(true)
    },
  )

  it.each(['identity', 'br', 'gzip;q=0', 'gzip;q=0.0', ''])(
    'is served plain to those who accept only %s',
    async (accepted) => {
      const { headers, bytes } = await get(await (await makeReport()).url(), { 'accept-encoding': accepted })
      expect(headers).not.toHaveProperty('content-encoding')
      expect(bytes.equals(csv)).toBe(true)
    },
  )

  it.each([
    ['bytes=0-9', 0, 9],
    ['bytes=100000-', 100_000, csv.length - 1],
    ['bytes=-5', csv.length - 5, csv.length - 1],
    [`bytes=10-${csv.length * 2}`, 10, csv.length - 1],
  ])('is resumed at %s, plain and gzipped', async (range, start, end) => {
    const address = await (await makeReport()).url()
    const plain = await get(address, { range })
    expect(plain.status).toBe(206)
    expect(plain.headers['content-range']).toBe(`bytes ${start}-${end}/${csv.length}`)
    expect(plain.headers['content-length']).toBe(String(end - start + 1))
    expect(plain.bytes.equals(csv.subarray(start, end + 1))).toBe(true)
    const packed = await get(address, { 'accept-encoding': 'gzip' })
    const rest = await get(address, {
      'accept-encoding': 'gzip',
      range: 'bytes=1000-',
      'if-range': String(packed.headers.etag),
    })
    expect(rest.status).toBe(206)
    expect(Buffer.concat([packed.bytes.subarray(0, 1000), rest.bytes]).equals(packed.bytes)).toBe(true)
  })

  it('answers a range outside of it with 416, and ignores the range if If-Range does not match', async () => {
    const address = await (await makeReport()).url()
    const outside = await get(address, { range: `bytes=${csv.length}-` })
    expect({ status: outside.status, range: outside.headers['content-range'] }).toEqual({
      status: 416,
      range: `bytes */${csv.length}`,
    })
    const packed = await get(address, { range: `bytes=${csv.length}-`, 'accept-encoding': 'gzip' })
    expect(packed.status).toBe(416)
    expect(packed.headers).not.toHaveProperty('content-encoding')
    expect(packed.headers).not.toHaveProperty('etag')
    expect((await get(address, { range: 'bytes=5-', 'if-range': '"other"' })).status).toBe(200)
    expect((await get(address, { range: 'bytes=5-1' })).status).toBe(200)
    expect((await get(address, { range: 'lines=1-2' })).status).toBe(200)
    const { headers } = await get(address)
    const known = { 'if-none-match': String(headers.etag) }
    expect((await get(address, known)).status).toBe(304)
    expect((await get(address, { ...known, range: `bytes=${csv.length}-` })).status).toBe(304)
  })

  it('cannot be downloaded with a URL that was altered, has expired, or belongs to another job', async () => {
    const [mine, other] = [await makeReport(), await makeReport()]
    const address = await mine.url()
    expect((await get(address)).status).toBe(200)
    const altered = [
      address.replace(/expires=\d/, 'expires=9'),
      `${address.slice(0, -1)}${address.endsWith('A') ? 'B' : 'A'}`,
      address.replace(mine.id, other.id),
      address.replace(/&signature.*/, ''),
      address.replace(/\?.*/, ''),
      address.replace('signature=', 'signature=x&signature='),
      address.replace(mine.id, '..%2f..%2fadcube.db'),
    ]
    for (const each of altered) expect((await get(each)).status, each).toBe(403)
    clock.now += 86_400_000
    expect((await get(address)).status).toBe(403)
    expect((await get(await mine.url())).status).toBe(200)
  })

  it('is gone with its file when its account removes it', async () => {
    const { key, id, url } = await makeReport()
    const address = await url()
    expect((await ask(key, 'DELETE', `/v2/data/status?jobId=${id}`)).status).toBe(204)
    expect((await get(address)).status).toBe(410)
    expect(await storage.list()).not.toContain(`${id}_1.csv.gz`)
  })

  it('cannot be downloaded while its account is disabled or cannot use its cube', async () => {
    const { id, accountId, url } = await makeReport()
    const address = await url()
    const code = async () => JSON.parse((await get(address)).bytes.toString()).code
    await updateAccount(store, accountId, { disabledAt: clock.now })
    expect([(await get(address)).status, await code()]).toEqual([403, 'account_disabled'])
    await updateAccount(store, accountId, { disabledAt: null, cubes: [platformPerformance] })
    expect([(await get(address)).status, await code()]).toEqual([403, 'cube_not_allowed'])
    await updateAccount(store, accountId, { cubes: [auctions] })
    expect((await get(address)).status, id).toBe(200)
  })

  it('of an earlier version, without blocks, ignores ranges unless it is served as gzip', async () => {
    const { id, url } = await makeReport()
    await store.updateTable('jobs').set({ blocks: null }).where('id', '=', id).execute()
    const address = await url()
    const whole = await get(address, { range: 'bytes=-5' })
    expect({ status: whole.status, ranges: whole.headers['accept-ranges'] }).toEqual({ status: 200, ranges: 'none' })
    expect(whole.bytes.equals(csv)).toBe(true)
    const packed = await get(address, { range: 'bytes=-5', 'accept-encoding': 'gzip' })
    expect({ status: packed.status, ranges: packed.headers['accept-ranges'] }).toEqual({ status: 206, ranges: 'bytes' })
  })

  it('is kept by the sweep until it expires, and files without a job are removed', async () => {
    const { id, key } = await makeReport()
    const deps = { store, storage, log: pino({ level: 'silent' }), now: () => clock.now, keepMs: 0 }
    const sweep = async () => {
      await endOverdueJobs(deps)
      await deleteExpiredJobs(deps)
      await sweepReports(deps)
    }
    const write = async (file: string) => {
      const draft = await storage.draft(file)
      draft.stream.end('x')
      await once(draft.stream, 'close')
      return draft
    }
    const query = { start: '2026-11-14', end: '2026-11-14', dimensions: ['Day'], metrics: ['Auctions'] }
    const url = '/v2/data/asynchronous?cube=auctions'
    const { body } = await send({ method: 'POST', url, headers: { 'x-api-key': key }, payload: query })
    await takeJob(store, clock.now)
    const [own, lost, stray, running] = [`${id}_1`, `${id}_2`, 'job_unknown_1', `${body.job_id}_1`].map(
      (name) => `${name}.csv.gz`,
    ) as [string, string, string, string]
    for (const file of [lost, stray]) await (await write(file)).publish()
    for (const file of [lost, stray, running]) await write(file)

    await sweep()
    expect(await storage.list()).toContain(own)
    expect(await storage.list()).not.toEqual(expect.arrayContaining([lost]))
    expect(await storage.list()).not.toEqual(expect.arrayContaining([stray]))
    expect(await storage.listDrafts()).toEqual([running])
    clock.now += 7 * 86_400_000
    await sweep()
    expect(await storage.list()).toEqual([])
    expect(await storage.listDrafts()).toEqual([])
  })
})
