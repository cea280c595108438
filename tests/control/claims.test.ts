import { sql, type CompiledQuery } from 'kysely'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { noLimits } from '../../src/access/rate-limiter.ts'
import { insertAccount, updateAccount } from '../../src/store/accounts.ts'
import { chunksOf } from '../../src/store/chunks-of.ts'
import { FactsError } from '../../src/facts/errors.ts'
import type { ExportOptions, MadeCsv } from '../../src/facts/facts.ts'
import { cancelRunningJob } from '../../src/reports/cancel-or-remove-job.ts'
import { endOverdueJobs, overdueReason } from '../../src/reports/end-overdue-jobs.ts'
import { findJob } from '../../src/reports/job.ts'
import { completeJob, failJob, isHeld, releaseJob, renewClaim, type Claim } from '../../src/reports/job-queue.ts'
import { createStore, storeFile, type Store } from '../../src/store/open-store.ts'
import { createPostgresDialect } from '../../src/store/postgres.ts'
import { createSqliteDialect } from '../../src/store/sqlite.ts'
import { attemptsMax, claimNext, leaseMs, takeJob } from '../setup/claims.ts'
import { openControlService } from '../setup/control-service.ts'
import { scriptFacts, writeShortReport } from '../setup/scripted-facts.ts'
import { openReports } from '../setup/reports.ts'
import { databases, makePlace, openStoreAt } from '../setup/stores.ts'

const query = { start: '2026-11-01', end: '2026-11-14', dimensions: ['Day'], metrics: ['Auctions'] }
const hourMs = 3_600_000

describe.each(databases)('the queue in %s', async (database) => {
  const place = await makePlace(database)
  const store = await openStoreAt(place)
  const now = Date.parse('2026-11-14T12:00:00Z')
  const account = (index: number) => `account-${index % 10}`
  for (let index = 0; index < 10; index++) {
    await insertAccount(store, { id: account(index), name: 'x', createdAt: now })
  }
  const job = (index: number) => ({
    id: `job_${index}`,
    accountId: account(index),
    cube: 'c',
    body: '{}',
    startDay: '',
    endDay: '',
    state: 'PROCESSING' as const,
    createdAt: now + index,
    deadlineAt: now + hourMs,
    availableAt: now + index,
    attempts: 0,
    excused: 0,
    progress: 0,
    turn: Math.floor(index / 10),
  })
  const at = now + 10_000
  for (const some of chunksOf(
    Array.from({ length: 6_000 }, (_, index) => index),
    500,
  )) {
    // Half of them are waiting for something that the server lacks.
    const rows = some.map((index) => (index < 3_000 ? job(index) : { ...job(index), attempts: 1, availableAt: at + 1 }))
    await store.insertInto('jobs').values(rows).execute()
  }
  await sql`ANALYZE`.execute(store)

  it('is read by an index up to the next job, however many jobs wait', async () => {
    const asked: CompiledQuery[] = []
    const isSqlite = database === 'SQLite'
    const dialect = isSqlite ? createSqliteDialect(storeFile(place.folder)) : createPostgresDialect(place.databaseUrl!)
    const watched = createStore(dialect, ({ query }) => void asked.push(query))
    onTestFinished(() => watched.destroy())
    const passOver = [account(0), account(1)]
    expect(await takeJob(watched, at, passOver)).toMatchObject({ id: 'job_2' })
    const plans: string[] = []
    for (const query of asked.filter(({ sql: text }) => text.startsWith('select'))) {
      const explain = isSqlite ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN'
      const { rows } = await store.executeQuery<object>({ ...query, sql: `${explain} ${query.sql}` })
      plans.push(JSON.stringify(rows))
    }
    // Begun jobs and waiting ones, before the lock is taken and with it.
    expect(plans).toEqual(
      ['begun', 'waiting', 'begun', 'waiting'].map((name) => expect.stringContaining(`jobs_${name}`)),
    )
    expect(plans.join('\n')).not.toMatch(/Sort|Seq Scan|TEMP B-TREE|SCAN jobs"/)
  })

  it('gives jobs that are due again to workers first, and then the first jobs of all accounts', async () => {
    const first = await takeJob(store, at)
    expect(first).toMatchObject({ id: 'job_0', attempts: 1 })
    await releaseJob(store, { id: 'job_0', attempt: 1, availableAt: at, isExcused: true })
    expect(await takeJob(store, at)).toMatchObject({ id: 'job_0', attempts: 2 })
    const next = []
    for (let count = 0; count < 10; count++) next.push((await takeJob(store, at))?.id)
    expect(next).toEqual([1, 3, 4, 5, 6, 7, 8, 9, 10, 11].map((index) => `job_${index}`))
    // A claim that has ended is due like any other.
    expect((await takeJob(store, at + leaseMs))?.attempts).toBe(2)
  })
})

describe.each(databases)('a claim in %s', async (database) => {
  const place = await makePlace(database)
  const store = await openStoreAt(place)
  const { send, ask, clock, makeAccount } = await openControlService(store, noLimits)
  const now = () => clock.now
  /** Claims a job for another slot of the same process, or for another process. */
  const takers: Readonly<Record<string, Store>> = { 'another slot': store, 'another process': await openStoreAt(place) }

  const drain = () => store.updateTable('jobs').set({ state: 'FAILED' }).where('state', '=', 'PROCESSING').execute()
  /** Creates a job, the only one in the queue. */
  const startAlone = async () => {
    await drain()
    const account = await makeAccount()
    const { body } = await send({
      method: 'POST',
      url: '/v2/data/asynchronous?cube=auctions',
      headers: { 'x-api-key': account.key },
      payload: query,
    })
    return { account, id: String(body.job_id) }
  }
  const rowOf = (id: string) => store.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  const made = { file: 'x', rows: 1, bytes: 1, checksum: 'x' }
  /** All calls of a worker about its job. */
  const calls: Readonly<Record<string, (claim: Claim) => Promise<boolean>>> = {
    isHeld: (claim) => isHeld(store, claim),
    renewClaim: (claim) => renewClaim(store, { ...claim, leaseUntil: clock.now + leaseMs, progress: 0.9 }),
    releaseJob: (claim) => releaseJob(store, { ...claim, availableAt: clock.now, isExcused: true, waitsFor: 'disk' }),
    completeJob: (claim) => completeJob(store, { ...claim, made, now: clock.now, expiresAt: clock.now }),
    failJob: (claim) => failJob(store, { ...claim, reason: 'late', now: clock.now, expiresAt: clock.now }),
  }
  const expectOver = async (claim: Claim) => {
    const before = await rowOf(claim.id)
    for (const [name, call] of Object.entries(calls)) expect([name, await call(claim)]).toEqual([name, false])
    expect(await rowOf(claim.id)).toEqual(before)
  }

  describe.each(Object.keys(takers))('taken over by %s', (taker) => {
    it('does not let its old worker change the job', async () => {
      for (const name of Object.keys(calls)) {
        const { id } = await startAlone()
        expect(await takeJob(store, clock.now)).toMatchObject({ id, attempts: 1 })
        clock.now += leaseMs - 1
        expect(await takeJob(takers[taker]!, clock.now)).toBeUndefined()
        clock.now++
        expect(await takeJob(takers[taker]!, clock.now)).toMatchObject({ id, attempts: 2 })
        await expectOver({ id, attempt: 1 })
        expect([name, await calls[name]!({ id, attempt: 2 })]).toEqual([name, true])
      }
    })

    const ends: Readonly<Record<string, (target: any) => Promise<MadeCsv>>> = {
      'made its report': writeShortReport,
      failed: () => Promise.reject(new FactsError('timeout')),
      'lost its engine': () => Promise.reject(new FactsError('away')),
      'found the disk full': () => Promise.reject(Object.assign(new Error('no space'), { code: 'ENOSPC' })),
    }
    it.each(Object.keys(ends))('does not change the job when the old worker wakes up and has %s', async (end) => {
      const { id } = await startAlone()
      const ended: Record<string, PromiseWithResolvers<MadeCsv>> = {}
      const targets: Record<string, any> = {}
      const facts = scriptFacts((target, { id: attempt }: ExportOptions) => {
        targets[attempt] = target
        ended[attempt] = Promise.withResolvers()
        return ended[attempt].promise
      })
      const first = await openReports({ facts, store, now }, { slots: 3 })
      const isSame = takers[taker] === store
      const second = isSame ? first : await openReports({ facts, store: takers[taker]!, now }, { slots: 3 })
      onTestFinished(async () => {
        for (const { reject } of Object.values(ended)) reject(new FactsError('cancelled'))
        await Promise.all([first.workers.stop(), second.workers.stop()])
      })
      first.workers.start()
      await vi.waitUntil(() => ended[`${id}_1`])
      clock.now += leaseMs
      if (isSame) first.workers.wake()
      else second.workers.start()
      await vi.waitUntil(() => ended[`${id}_2`], { timeout: 10_000 })
      const before = await rowOf(id)

      const settle = ends[end]!(targets[`${id}_1`])
      settle.then(ended[`${id}_1`]!.resolve, ended[`${id}_1`]!.reject)
      // Afterwards its draft and its report are removed.
      await vi.waitFor(async () => {
        expect(await first.storage.listDrafts()).not.toContain(`${id}_1.csv.gz`)
        expect(await first.storage.list()).toEqual([])
      })
      expect(await rowOf(id)).toEqual({ ...before, leaseUntil: expect.any(Number), waitsFor: null })

      ended[`${id}_2`]!.resolve(await writeShortReport(targets[`${id}_2`]))
      await vi.waitFor(async () =>
        expect(await findJob(store, id)).toMatchObject({ state: 'SUCCESS', file: `${id}_2.csv.gz`, attempts: 2 }),
      )
      expect(await second.storage.list()).toEqual([`${id}_2.csv.gz`])
    })
  })

  it('ends when it is released, even before another claim, and its number is never reused', async () => {
    const { id } = await startAlone()
    for (let attempt = 1; attempt <= 3 * attemptsMax; attempt++) {
      expect(await takeJob(store, clock.now)).toMatchObject({ id, attempts: attempt, excused: attempt - 1 })
      const claim = { id, attempt }
      expect(await releaseJob(store, { ...claim, availableAt: clock.now + 1, isExcused: true })).toBe(true)
      await expectOver(claim)
      clock.now++
    }
  })

  it('ends when the job is cancelled or reaches its deadline', async () => {
    const { id: cancelledId, account } = await startAlone()
    const cancelled = { id: cancelledId, accountId: account.id }
    await takeJob(store, clock.now)
    const deps = { store, workers: { cancel: () => {} }, keepMs: 0, now: () => clock.now }
    expect(await cancelRunningJob(deps, cancelled)).toBe('cancelled')
    await expectOver({ id: cancelled.id, attempt: 1 })
    expect(await cancelRunningJob(deps, cancelled)).toBe('ended')

    const { id } = await startAlone()
    clock.now += hourMs - 1
    await takeJob(store, clock.now)
    const endOverdue = () => endOverdueJobs({ ...deps, log: pino({ level: 'silent' }) })
    await endOverdue()
    expect(await findJob(store, id)).toMatchObject({ state: 'PROCESSING' })
    clock.now++
    await endOverdue()
    expect(await findJob(store, id)).toMatchObject({ state: 'FAILED', failureReason: overdueReason })
    await expectOver({ id, attempt: 1 })
  })

  it('is refused for a job whose attempts all crashed their process', async () => {
    const { id } = await startAlone()
    for (let attempt = 1; attempt <= attemptsMax; attempt++) {
      expect(await takeJob(store, clock.now)).toMatchObject({ id, attempts: attempt })
      clock.now += leaseMs
    }
    expect(await claimNext(store, clock.now)).toMatchObject({
      exhausted: { id, state: 'FAILED', failureReason: 'used up', finishedAt: clock.now, attempts: attemptsMax },
    })
    expect(await claimNext(store, clock.now)).toBeUndefined()
  })

  it('skips a job that has used up its attempts, and the job says why it failed', async () => {
    const { account, id } = await startAlone()
    await store.updateTable('jobs').set({ attempts: 7, excused: 2 }).where('id', '=', id).execute()
    const other = await makeAccount()
    const headers = { 'x-api-key': other.key }
    await send({ method: 'POST', url: '/v2/data/asynchronous?cube=auctions', headers, payload: query })
    const { workers } = await openReports({ facts: scriptFacts(), store, now })
    onTestFinished(() => workers.stop())
    workers.start()
    await vi.waitFor(async () =>
      expect((await ask(other.key, 'GET', '/v2/data/status')).body).toMatchObject([{ job_status: 'SUCCESS' }]),
    )
    expect((await ask(account.key, 'GET', `/v2/data/status?jobId=${id}`)).body).toMatchObject([
      { job_status: 'FAILED', failure_reason: expect.stringContaining('broken off 5 times') },
    ])
  })

  it('is given up by a worker whose job is cancelled on another node, before its lease is renewed', async () => {
    const { account, id } = await startAlone()
    const facts = scriptFacts(
      (_target, { signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(new FactsError('cancelled')))
        }),
    )
    const { workers, storage } = await openReports({ facts, store: takers['another process']!, now })
    onTestFinished(() => workers.stop())
    workers.start()
    await vi.waitFor(async () => expect(await storage.listDrafts()).toHaveLength(1))
    await ask(account.key, 'DELETE', `/v2/data/status?jobId=${id}`)
    await vi.waitFor(async () => expect(await storage.listDrafts()).toEqual([]), { timeout: 4_000 })
  })

  const rights = {
    'the account is disabled': { disabledAt: 1 },
    'the account can no longer use this cube': { cubes: [] },
  }
  it.each(Object.entries(rights))('fails the job without reading facts when %s', async (reason, change) => {
    const { account, id } = await startAlone()
    await updateAccount(store, account.id, change)
    const facts = scriptFacts()
    const { workers } = await openReports({ facts, store, now })
    onTestFinished(() => workers.stop())
    workers.start()
    await vi.waitFor(async () => expect(await findJob(store, id)).toMatchObject({ state: 'FAILED' }))
    expect((await findJob(store, id))?.failureReason?.toLowerCase()).toContain(reason)
    expect(facts.asked).toEqual([])
  })
})
