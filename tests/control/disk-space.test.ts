import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { noLimits } from '../../src/access/rate-limiter.ts'
import { buildApp } from '../../src/http/app.ts'
import { endOverdueJobs } from '../../src/reports/end-overdue-jobs.ts'
import { findJob } from '../../src/reports/job.ts'
import { openControlService } from '../setup/control-service.ts'
import { scriptFacts } from '../setup/scripted-facts.ts'
import { openReports } from '../setup/reports.ts'
import { databases, makePlace, openStoreAt } from '../setup/stores.ts'

const query = { start: '2026-11-01', end: '2026-11-14', dimensions: ['Day'], metrics: ['Auctions'] }
const deadlineMs = 3_600_000
/** More than any disk has. */
const tooMuch = Number.MAX_SAFE_INTEGER

describe.each(databases)('a job that finds too little disk space, with the control data in %s,', async (database) => {
  const store = await openStoreAt(await makePlace(database))
  const { ask, clock, makeAccount, send } = await openControlService(store, noLimits)
  const now = () => clock.now
  const start = async (key: string) => {
    const url = '/v2/data/asynchronous?cube=auctions'
    const { status, body } = await send({ method: 'POST', url, headers: { 'x-api-key': key }, payload: query })
    return { status, id: String(body.job_id) }
  }
  /** Starts workers on a disk with or without enough space. */
  const open = async ({ freeBytesMin = 0 } = {}) => {
    const lines: string[] = []
    const log = pino({ level: 'info' }, { write: (line) => lines.push(line) })
    const facts = scriptFacts()
    const opened = await openReports({ facts, store, now, log }, { freeBytesMin })
    const app = buildApp({
      facts,
      store,
      log: pino({ level: 'silent' }),
      now,
      rateLimiter: noLimits,
      ...opened.reports,
    })
    onTestFinished(async () => {
      await opened.workers.stop()
      await app.close()
    })
    return { ...opened, lines, readyz: async () => (await app.inject('/readyz')).json() }
  }
  const endOverdue = () => endOverdueJobs({ store, log: pino({ level: 'silent' }), now, keepMs: 1_000 })

  it('waits, and one log line covers all jobs and attempts', async () => {
    const { key } = await makeAccount()
    const ids = [(await start(key)).id, (await start(key)).id]
    const { workers, lines, readyz } = await open({ freeBytesMin: tooMuch })
    workers.start()
    for (const attempts of [1, 2, 3]) {
      await vi.waitFor(async () => {
        for (const id of ids) expect(await findJob(store, id)).toMatchObject({ attempts, excused: attempts })
      })
      clock.now += 30_000
      workers.wake()
    }
    expect(lines.filter((line) => line.includes('disk space'))).toHaveLength(1)
    expect(lines[0]).toContain('"level":40')
    // Queries still work.
    expect(await readyz()).toEqual({ status: 'ready', warnings: ['Too little free disk space: reports wait.'] })
    await workers.stop()

    const { workers: others, readyz: othersReadyz } = await open()
    clock.now += 30_000
    others.start()
    await vi.waitFor(async () => {
      for (const id of ids) expect(await findJob(store, id)).toMatchObject({ state: 'SUCCESS' })
    })
    expect(await othersReadyz()).toEqual({ status: 'ready', warnings: [] })
  })

  it('waits also if the disk fills up during the export', async () => {
    const { key } = await makeAccount()
    const { id } = await start(key)
    const { workers, folder, storage, readyz } = await open()
    // Every write to this device fails with ENOSPC.
    await symlink('/dev/full', join(folder, 'drafts', `${id}_1.csv.gz`))
    workers.start()
    await vi.waitFor(async () =>
      expect(await findJob(store, id)).toMatchObject({ state: 'PROCESSING', attempts: 1, excused: 1 }),
    )
    expect(await readyz()).toMatchObject({ status: 'ready', warnings: [expect.stringContaining('disk')] })
    expect(await storage.list()).toEqual([])
    clock.now += 60_000
    workers.wake()
    await vi.waitFor(async () => expect(await findJob(store, id)).toMatchObject({ state: 'SUCCESS', attempts: 2 }))
  })

  it('fails at its deadline, says why, and does not count against the daily quota', async () => {
    const { key } = await makeAccount()
    const ids: string[] = []
    for (let count = 0; count < 10; count++) ids.push((await start(key)).id)
    const { workers } = await open({ freeBytesMin: tooMuch })
    workers.start()
    await vi.waitFor(async () => {
      for (const id of ids) expect(await findJob(store, id)).toMatchObject({ excused: 1 })
    })
    // A job that its account cancels still counts.
    await ask(key, 'DELETE', `/v2/data/status?jobId=${ids[0]}`)
    clock.now += deadlineMs - 1
    await endOverdue()
    expect(await findJob(store, ids[1]!)).toMatchObject({ state: 'PROCESSING' })
    expect((await start(key)).status).toBe(429)
    await workers.stop()
    clock.now++
    await endOverdue()
    for (const record of (await ask(key, 'GET', '/v2/data/status')).body) {
      expect(record.job_status).toBe('FAILED')
      expect(record.failure_reason).toMatch(record.job_id === ids[0] ? /^cancelled$/ : /ran out of disk space/)
    }
    for (let count = 0; count < 9; count++) expect((await start(key)).status).toBe(202)
    expect((await start(key)).status).toBe(429)
  })
})
