import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { auctions } from '../src/catalog/auctions.ts'
import { dayOf } from '../src/query/day.ts'
import { findJob } from '../src/reports/job.ts'
import { insertJob } from '../src/reports/submit-job.ts'
import { openStore } from '../src/store/open-store.ts'
import { atEnd } from './setup/at-end.ts'
import { makeFolder } from './setup/installation.ts'
import { canTrace, readTrace, straceOf, traceCommand, Unsynced, type Step } from './setup/trace-disk.ts'

if (!canTrace) process.stderr.write('strace is missing or may not trace: the tests of durability are skipped.\n')

/** What would be lost if the power failed at a moment of a trace. */
async function replay(trace: string, look: (step: Step, unsynced: Unsynced) => void): Promise<void> {
  const unsynced = new Unsynced()
  for await (const step of readTrace(trace)) {
    look(step, unsynced)
    unsynced.take(step)
  }
}

/** The path and the folders that it is in, below a root. */
const pathsTo = (path: string, root: string): readonly string[] =>
  path === root ? [] : [path, ...pathsTo(dirname(path), root)]

/**
 * Checks that files are on the disk before they get their name, that their names are before the control data name them, and
 * that the control data are before anybody is told.
 */
async function checkOrder(trace: string, data: string, isPublished: (path: string) => boolean, told: string) {
  const wal = join(data, 'adcube.db-wal')
  const published: string[] = []
  let isTold = false
  await replay(trace, (step, unsynced) => {
    if (step.kind === 'moved' && isPublished(step.path)) {
      expect(unsynced.in(step.from), 'unsynced when moved').toEqual([])
      published.push(step.path)
    }
    if (step.kind === 'changed' && step.path === wal && !isTold) {
      const names = published.flatMap((path) => pathsTo(path, data)).filter((each) => unsynced.names.has(each))
      expect(names, 'unsynced names when recorded').toEqual([])
    }
    if (step.kind === 'told' && step.text.includes(told)) {
      isTold = true
      expect(unsynced.contents.has(wal), 'unsynced control data when told').toBe(false)
    }
  })
  expect(published).toHaveLength(1)
  expect(isTold).toBe(true)
}

describe.skipIf(!canTrace)('after a power loss, nothing is missing of', () => {
  let data = ''
  let traces = ''
  const day = dayOf(Date.now())

  beforeAll(async () => {
    data = join(await makeFolder(), 'data')
    traces = await makeFolder()
    const csv = join(traces, 'facts.csv')
    await writeFile(csv, `account,day,site,auctions\nharbor,${day},s,1\n`)
    await traceCommand(join(traces, 'load'), ['load', 'auctions', csv, '--data-dir', data, '--create-accounts'])
  })

  it('a load', async () => {
    await checkOrder(join(traces, 'load'), data, (path) => path === join(data, 'facts/auctions/1'), 'Load 1:')
  })

  it('a report', async () => {
    await using store = await openStore({ folder: data })
    const id = `job_${randomUUID().replaceAll('-', '')}`
    const body = JSON.stringify({ start: day, end: day, dimensions: ['Site'], metrics: ['Auctions'] })
    const now = Date.now()
    const job = { id, accountId: 'harbor', cube: auctions.name, startDay: day, endDay: day, body, createdAt: now }
    await insertJob(store, { ...job, deadlineAt: now + 60_000 })
    const worker = spawn('strace', straceOf(join(traces, 'report'), ['worker', '--data-dir', data]), {
      stdio: 'ignore',
    })
    const ended = once(worker, 'exit')
    const isMade = async () => {
      expect(await findJob(store, id)).toMatchObject({ state: 'SUCCESS', failureReason: null })
    }
    // strace would end by itself, and leave the worker running.
    const stop = async (): Promise<void> => {
      const [pid] = (await readFile(`/proc/${worker.pid}/task/${worker.pid}/children`, 'utf8')).trim().split(' ')
      if (pid) process.kill(Number(pid), 'SIGTERM')
      await ended
    }
    await vi.waitFor(isMade, { timeout: 30_000, interval: 100 }).finally(stop)
    const isReport = (path: string): boolean => dirname(path) === join(data, 'reports') && path.endsWith('.csv.gz')
    await checkOrder(join(traces, 'report'), data, isReport, 'report made')
  })

  it('a backup', async () => {
    // Another file system than that of the data, so that files are copied.
    const shared = await mkdtemp('/dev/shm/adcube-')
    atEnd(() => rm(shared, { recursive: true, force: true }))
    const backup = join(shared, 'backup')
    const trace = join(traces, 'backup')
    await traceCommand(trace, ['backup', backup, '--data-dir', data])
    const moments: string[] = []
    await replay(trace, (step, unsynced) => {
      const next = join(backup, 'next')
      if (step.kind === 'moved' && step.path === join(backup, 'adcube.db')) {
        moments.push('published')
        expect(unsynced.contents.has(step.from), 'unsynced control data').toBe(false)
        // Besides the control data, nothing in this folder is part of the backup.
        expect(unsynced.in(backup).filter((path) => !path.startsWith(next))).toEqual([])
      }
      if (step.kind === 'told' && step.text.includes('Backup in')) {
        moments.push('told')
        expect(unsynced.names.has(join(backup, 'adcube.db')), 'unsynced name of the control data').toBe(false)
      }
    })
    expect(moments).toEqual(['published', 'told'])
  })
})
