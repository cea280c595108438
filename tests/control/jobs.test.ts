import { pino } from 'pino'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { noLimits } from '../../src/access/rate-limiter.ts'
import { endOverdueJobs } from '../../src/reports/end-overdue-jobs.ts'
import { takeJob } from '../setup/claims.ts'
import { openControlService } from '../setup/control-service.ts'
import { openReports } from '../setup/reports.ts'
import { databases, makePlace, openStoreAt } from '../setup/stores.ts'

const dayMs = 86_400_000
const query = { start: '2026-11-01', end: '2026-11-14', dimensions: ['Day'], metrics: ['Auctions'] }

describe.each(databases)('jobs in %s', async (database) => {
  const place = await makePlace(database)
  const store = await openStoreAt(place)
  const service = await openControlService(store, noLimits)
  const { ask, clock, makeAccount, send } = service
  const start = (key: string, { body = query, idempotencyKey = '' }: { body?: object; idempotencyKey?: string } = {}) =>
    send({
      method: 'POST',
      url: '/v2/data/asynchronous?cube=auctions',
      headers: { 'x-api-key': key, ...(idempotencyKey !== '' && { 'idempotency-key': idempotencyKey }) },
      payload: body,
    })
  const status = (key: string, parameters = '') => ask(key, 'GET', `/v2/data/status${parameters}`)

  it('are accepted with a record, and found by its job_id', async () => {
    const { key } = await makeAccount()
    const accepted = await start(key)
    expect(accepted.status).toBe(202)
    expect(accepted.body).toMatchObject({
      job_id: expect.stringMatching(/^job_[0-9a-f]{32}$/),
      job_status: 'PROCESSING',
      output_url: 'Not Available',
      cube: 'publisher_auctions_cube',
      progress: 0,
    })
    expect((await status(key, `?jobId=${accepted.body.job_id}`)).body).toEqual([accepted.body])
    expect((await status(key)).body).toEqual([accepted.body])
    expect((await status(key, '?jobStatus=processing')).body).toEqual([accepted.body])
    expect((await status(key, '?jobStatus=SUCCESS')).body).toEqual([])
    expect((await status(key, '?jobStatus=DONE')).body).toMatchObject({ status: 400, code: 'invalid_parameter' })
  })

  it('are listed newest first: those of the last day, or older ones by id and by status', async () => {
    const { key } = await makeAccount()
    const old = (await start(key)).body.job_id
    clock.now += dayMs
    const [second, third] = [(await start(key)).body.job_id, (clock.now++, (await start(key)).body.job_id)]
    const ids = async (parameters = '') => (await status(key, parameters)).body.map((job: any) => job.job_id)
    expect(await ids()).toEqual([third, second])
    expect(await ids(`?jobId=${old}`)).toEqual([old])
    expect(await ids('?jobStatus=PROCESSING')).toEqual([third, second, old])
    expect(await ids('?jobId=job_unknown')).toEqual([])
  })

  it('have the limits of asynchronous queries, and an invalid query does not count', async () => {
    const { key } = await makeAccount()
    const wide = {
      start: '2026-10-15',
      end: '2026-11-14',
      dimensions: [
        'Day',
        'Country',
        'OS',
        'Device',
        'Site',
        'Gender',
        'Adomain',
        'Publisher',
        'App Name',
        'Order Name',
      ],
      metrics: [
        'Auctions',
        'Clicks',
        'CTR',
        'eCPM',
        'Cleared',
        'Uniques',
        'Win Rate',
        'Bid Avg',
        'Bid Depth',
        'Net Revenue',
      ],
      limit: 10_000_000,
    }
    for (let count = 0; count < 20; count++) {
      const wrong = [{ ...wide, start: '2026-10-01' }, { ...wide, limit: 10_000_001 }, { ...wide, metrics: [] }, []]
      expect((await start(key, { body: wrong[count % 4]! })).status).toBe(400)
    }
    for (let count = 0; count < 10; count++) expect((await start(key, { body: wide })).status).toBe(202)
    expect((await start(key, { body: wide })).status).toBe(429)
  })

  it('are limited to ten in any 24 hours, and Retry-After says when the next one is accepted', async () => {
    const { key } = await makeAccount()
    const startedAt = clock.now
    for (let count = 0; count < 10; count++) {
      expect((await start(key)).status).toBe(202)
      clock.now += 60_000
    }
    const refused = await start(key)
    expect(refused.body).toMatchObject({ code: 'rate_limited', detail: 'Jobs: at most 10 in 24 hours ("jobs").' })
    expect(clock.now + Number(refused.headers['retry-after']) * 1000).toBe(startedAt + dayMs)
    clock.now = startedAt + dayMs - 1
    expect((await start(key)).status).toBe(429)
    clock.now += 1
    expect((await start(key)).status).toBe(202)
    expect((await start(key)).status).toBe(429)
  })

  it('are limited to ten also when twenty are started at once', async () => {
    const { key } = await makeAccount()
    const answers = await Promise.all(Array.from({ length: 20 }, () => start(key)))
    expect(answers.filter((answer) => answer.status === 202)).toHaveLength(10)
    expect(answers.filter((answer) => answer.status === 429)).toHaveLength(10)
  })

  it('with the same Idempotency-Key are the same job, for a day, per account and for the same query', async () => {
    const { key } = await makeAccount()
    const twenty = await Promise.all(Array.from({ length: 20 }, () => start(key, { idempotencyKey: 'abc' })))
    expect(new Set(twenty.map((answer) => `${answer.status} ${answer.body.job_id}`)).size).toBe(1)
    expect(twenty[0]?.status).toBe(202)
    expect((await status(key)).body).toHaveLength(1)
    const other = await start(key, { idempotencyKey: 'abc', body: { ...query, limit: 7 } })
    expect(other.body).toMatchObject({ status: 409, code: 'idempotency_key_taken' })
    expect((await start((await makeAccount()).key, { idempotencyKey: 'abc' })).body.job_id).not.toBe(
      twenty[0]?.body.job_id,
    )
    expect((await start(key, { idempotencyKey: 'a b' })).status).toBe(400)
    expect((await start(key, { idempotencyKey: 'x'.repeat(256) })).status).toBe(400)
    clock.now += dayMs
    expect((await start(key, { idempotencyKey: 'abc' })).body.job_id).not.toBe(twenty[0]?.body.job_id)
  })

  it('can be cancelled and removed by their own account only, and still count', async () => {
    const { key } = await makeAccount()
    const other = await makeAccount()
    const id = (await start(key)).body.job_id
    const remove = (who: string) => ask(who, 'DELETE', `/v2/data/status?jobId=${id}`)
    expect((await remove(other.key)).status).toBe(404)
    expect((await status(other.key, `?jobId=${id}`)).body).toEqual([])
    expect((await remove(key)).body).toMatchObject({
      job_id: id,
      job_status: 'FAILED',
      output_url: 'Not Available',
      failure_reason: 'cancelled',
    })
    expect((await remove(key)).status).toBe(204)
    expect((await remove(key)).status).toBe(404)
    expect((await status(key, `?jobId=${id}`)).body).toEqual([])
    expect((await ask(key, 'DELETE', '/v2/data/status')).status).toBe(400)
    for (let count = 0; count < 9; count++) expect((await start(key)).status).toBe(202)
    expect((await start(key)).status).toBe(429)
  })

  describe('as a queue', () => {
    /** Empties the queue, so that a test gets only its own jobs. */
    const drain = () => store.updateTable('jobs').set({ state: 'FAILED' }).where('state', '=', 'PROCESSING').execute()
    const claim = (passOver: readonly string[] = []) => takeJob(store, clock.now, passOver)

    it('start the first job of an account before the second of another', async () => {
      await drain()
      const [many, few] = [await makeAccount(), await makeAccount()]
      for (let count = 0; count < 9; count++) await start(many.key)
      clock.now += 1_000
      await start(few.key)
      const order = [await claim(), await claim(), await claim()].map((job) => job?.accountId)
      expect(order).toEqual([many.id, few.id, many.id])
      expect((await claim([many.id]))?.accountId).toBeUndefined()
    })

    it('never use all slots of a worker for one account, even if all are free', async () => {
      await drain()
      const { key } = await makeAccount()
      await start(key)
      await start(key)
      const held = Promise.withResolvers<boolean>()
      const hanging: any = { isUp: () => held.promise }
      const { workers } = await openReports({ facts: hanging, store, now: () => clock.now }, { slots: 3 })
      onTestFinished(() => {
        held.resolve(false)
        return workers.stop()
      })
      await start(key)
      workers.start()
      const another = await makeAccount()
      await start(another.key)
      workers.wake()
      const running = () =>
        store
          .selectFrom('jobs')
          .select('accountId')
          .where('state', '=', 'PROCESSING')
          .where('leaseUntil', 'is not', null)
          .execute()
      await vi.waitFor(async () => expect(await running()).toHaveLength(3), { timeout: 10_000 })
      expect((await running()).filter(({ accountId }) => accountId === another.id)).toHaveLength(1)
    })

    it('give each job to one worker, however many claim at once', async () => {
      await drain()
      const { key } = await makeAccount()
      for (let count = 0; count < 8; count++) await start(key)
      const stores = database === 'SQLite' ? [store] : [store, await openStoreAt(place), await openStoreAt(place)]
      const claims = await Promise.all(
        Array.from({ length: 16 }, (_, index) => takeJob(stores[index % stores.length]!, clock.now)),
      )
      const ids = claims.flatMap((job) => job?.id ?? [])
      // In PostgreSQL, a worker may find the next row locked and get no job; it asks again a second later.
      expect(new Set(ids).size).toBe(ids.length)
      while (ids.length < 8) ids.push((await claim())!.id)
      expect(new Set(ids).size).toBe(8)
      expect(await claim()).toBeUndefined()
    })

    it('end a job at its deadline', async () => {
      await drain()
      const { key } = await makeAccount()
      const id = (await start(key)).body.job_id
      await claim()
      clock.now += 3_600_000
      expect(await claim()).toBeUndefined()
      await endOverdueJobs({ store, log: pino({ level: 'silent' }), now: () => clock.now, keepMs: dayMs })
      const [record] = (await status(key, `?jobId=${id}`)).body
      expect(record).toMatchObject({
        job_status: 'FAILED',
        failure_reason: expect.stringContaining('not ready in time'),
      })
    })
  })
})
