import { describe, expect, it } from 'vitest'
import { noLimits } from '../../src/access/rate-limiter.ts'
import type { JobsAnswer, ListedJobRecord } from '../../src/contract/console.ts'
import { updateAccount } from '../../src/store/accounts.ts'
import { openControlService } from '../setup/control-service.ts'
import { makeReport } from '../setup/make-report.ts'
import { databases, makePlace, openStoreAt } from '../setup/stores.ts'

const dayMs = 86_400_000
const query = { start: '2026-11-01', end: '2026-11-14', dimensions: ['Day'], metrics: ['Auctions'] }

describe.each(databases)('jobs of the console, with the control data in %s,', async (database) => {
  const store = await openStoreAt(await makePlace(database))
  const service = await openControlService(store, noLimits)
  const { ask, click, clock, makeAccount, send, signIn } = service
  const start = (cookie: string, body: object = query) => click(cookie, 'POST', '/jobs?cube=auctions', body)
  const startByKey = (key: string) =>
    send({
      method: 'POST',
      url: '/v2/data/asynchronous?cube=auctions',
      headers: { 'x-api-key': key },
      payload: { ...query, limit: 7 },
    })
  const list = async (cookie: string, parameters = ''): Promise<JobsAnswer> => {
    const { status, body } = await click(cookie, 'GET', `/jobs${parameters}`)
    expect(status).toBe(200)
    return body
  }
  const idsOf = ({ data }: Pick<JobsAnswer, 'data'>) => data.map((job) => job.job_id)

  it('can be started by a Member, and are the same jobs as those of the API', async () => {
    const { id, key } = await makeAccount()
    const { cookie } = await signIn(id, 'member')
    const accepted = await start(cookie)
    expect(accepted.status).toBe(202)
    const job: ListedJobRecord = accepted.body
    const { start: first, end, query: asked, ...record } = job
    expect([first, end, asked]).toEqual([query.start, query.end, query])
    expect((await ask(key, 'GET', '/v2/data/status')).body).toEqual([record])
    clock.now++
    const byKey = (await startByKey(key)).body
    expect((await list(cookie)).data).toEqual([
      { ...byKey, start: query.start, end: query.end, query: { ...query, limit: 7 } },
      job,
    ])
  })

  it('have the limits of asynchronous queries, also for the size of the body', async () => {
    const { cookie } = await signIn((await makeAccount()).id, 'member')
    const values = Array.from({ length: 1_000 }, (_, index) => `${'x'.repeat(100)}${index}`)
    const large = {
      ...query,
      start: '2026-10-15',
      dimensions: ['Day', 'Country', 'OS'],
      limit: 10_000_000,
      filters: [{ field: 'Site', operator: 'in', values }],
    }
    expect((await start(cookie, large)).body.query).toEqual(large)
    // It would be too large for a list.
    expect((await list(cookie)).data).toMatchObject([{ query: null, start: '2026-10-15' }])
    expect(await start(cookie, { ...large, start: '2026-10-01', metrics: [] })).toMatchObject({
      status: 400,
      body: { code: 'invalid_query', errors: [{ pointer: '#/end' }, { pointer: '#/metrics' }] },
    })
    expect((await start(cookie, { ...query, filters: 'x'.repeat(1024 * 1024) })).status).toBe(413)
    expect((await list(cookie)).quota.used).toBe(1)
  })

  it('share the quota of ten a day with the API, and say when the next one can start', async () => {
    const { id, key } = await makeAccount()
    const { cookie } = await signIn(id, 'member')
    const startedAt = clock.now
    expect((await list(cookie)).quota).toEqual({ limit: 10, used: 0, next_free_at: null })
    for (let count = 0; count < 5; count++) {
      expect((await start(cookie)).status).toBe(202)
      expect((await startByKey(key)).status).toBe(202)
      clock.now += 60_000
    }
    const nextFreeAt = new Date(startedAt + dayMs).toISOString()
    expect((await list(cookie)).quota).toEqual({ limit: 10, used: 10, next_free_at: nextFreeAt })
    const refused = await start(cookie)
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
    expect(clock.now + Number(refused.headers['retry-after']) * 1000).toBe(startedAt + dayMs)
    expect((await startByKey(key)).status).toBe(429)
    clock.now = startedAt + dayMs
    // The list has all jobs, but only those of the last day count.
    const nextDay = await signIn(id, 'member')
    expect(await list(nextDay.cookie)).toMatchObject({
      data: { length: 10 },
      quota: { limit: 10, used: 8, next_free_at: null },
    })
    expect((await start(nextDay.cookie)).status).toBe(202)
  })

  it('are paginated, newest first, also when several were started in the same millisecond', async () => {
    const { id } = await makeAccount()
    const { cookie } = await signIn(id, 'member')
    for (let count = 0; count < 7; count++) {
      await start(cookie)
      if (count === 1) clock.now++
    }
    const all = await list(cookie)
    expect(all.next).toBeNull()
    const places = all.data.map((job) => `${job.created_at} ${job.job_id}`)
    expect(places).toHaveLength(7)
    expect(places).toEqual(places.toSorted((a, b) => (a < b ? 1 : -1)))
    const first = await list(cookie, '?limit=3')
    // If a job is deleted between two pages, nothing is missing or repeated.
    const last = first.data[2]!.job_id
    await click(cookie, 'DELETE', `/jobs/${last}`)
    await click(cookie, 'DELETE', `/jobs/${last}`)
    const second = await list(cookie, `?limit=3&before=${first.next}`)
    const third = await list(cookie, `?limit=3&before=${second.next}`)
    expect([...idsOf(first), ...idsOf(second), ...idsOf(third)]).toEqual(idsOf(all))
    expect(third.next).toBeNull()
    for (const wrong of ['?before=x', '?before=1.job_x', '?limit=0', '?limit=101', '?befor=1']) {
      expect((await click(cookie, 'GET', `/jobs${wrong}`)).body).toMatchObject({ code: 'invalid_parameter' })
    }
  })

  it('can be cancelled, and removed with their report, for the API as well', async () => {
    // So that the queue returns the report's job.
    await store.updateTable('jobs').set({ state: 'FAILED' }).where('state', '=', 'PROCESSING').execute()
    const { accountId, id, key, file, url } = await makeReport(store, service, Buffer.from('Day\r\n2026-11-14\r\n'))
    const { cookie } = await signIn(accountId, 'member')
    expect((await list(cookie)).data).toMatchObject([{ job_id: id, job_status: 'SUCCESS' }])
    const address = await url()
    const tooLate = await click(cookie, 'POST', `/jobs/${id}/cancel`)
    expect(tooLate).toMatchObject({ status: 200, body: { job_id: id, job_status: 'SUCCESS' } })
    expect((await service.app.inject(address)).body).toBe('Day\r\n2026-11-14\r\n')
    expect((await click(cookie, 'DELETE', `/jobs/${id}`)).status).toBe(204)
    expect(await service.storage.measure(file)).toBeUndefined()
    expect((await service.app.inject(address)).statusCode).toBe(410)
    expect((await ask(key, 'GET', `/v2/data/status?jobId=${id}`)).body).toEqual([])

    const running = (await start(cookie)).body
    const cancelled = await click(cookie, 'POST', `/jobs/${running.job_id}/cancel`)
    const failed = { job_status: 'FAILED', failure_reason: 'cancelled', query, start: query.start, end: query.end }
    expect(cancelled).toMatchObject({ status: 200, body: { job_id: running.job_id, ...failed } })
    expect((await list(cookie)).data).toEqual([cancelled.body])
    expect((await click(cookie, 'DELETE', `/jobs/${running.job_id}`)).status).toBe(204)
    expect((await click(cookie, 'DELETE', `/jobs/${running.job_id}`)).status).toBe(404)
    expect(await list(cookie)).toMatchObject({ data: [], quota: { used: 2 } })
  })

  it('of other accounts are not found, and only allowed cubes can be queried', async () => {
    const mine = await makeAccount()
    const { cookie } = await signIn(mine.id, 'administrator')
    const job = (await startByKey((await makeAccount()).key)).body.job_id
    expect((await list(cookie)).data).toEqual([])
    for (const [method, path] of [
      ['DELETE', ''],
      ['POST', '/cancel'],
    ] as const) {
      const { body } = await click(cookie, method, `/jobs/${job}${path}`)
      expect(body).toMatchObject({ status: 404, code: 'not_found' })
    }
    await updateAccount(store, mine.id, { cubes: [] })
    expect((await start(cookie)).body).toMatchObject({ status: 403, code: 'cube_not_allowed' })
    expect((await list(cookie)).quota.used).toBe(0)
  })
})
