import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { auctions } from '../src/catalog/auctions.ts'
import { findJob } from '../src/reports/job.ts'
import { childrenOf } from './setup/children.ts'
import { loadTestFacts } from './setup/facts.ts'
import { makeFolder } from './setup/installation.ts'
import { openReports } from './setup/reports.ts'
import { now, openService } from './setup/service.ts'

// Jobs of this service are only for its own workers.
const service = await openService(await makeFolder())
const account = await service.createAccount('exports')
await loadTestFacts(service, auctions, account.id, [
  { day: '2026-11-14', dimensions: { Country: 'US' }, measures: { auctions: 1n }, devices: [] },
])

it('a report whose process is killed is made again, without leftovers of the first attempt', async () => {
  let clock = now
  const { workers, folder } = await openReports({ facts: service.facts, store: service.store, now: () => clock })
  const response = await service.app.inject({
    method: 'POST',
    url: '/v2/data/asynchronous?cube=auctions',
    headers: { 'x-api-key': account.key },
    payload: { start: '2026-11-14', end: '2026-11-14', dimensions: ['Country'], metrics: ['Auctions'] },
  })
  const id = String(response.json().job_id)
  workers.start()
  await vi.waitFor(() => {
    const [pid] = childrenOf(process.pid, 'export-child')
    expect(pid).toBeDefined()
    process.kill(pid!, 'SIGKILL')
  })
  await vi.waitFor(
    async () => {
      // Move the clock past the wait before the next attempt, but not past a lease.
      clock += 1_000
      expect(await findJob(service.store, id)).toMatchObject({ state: 'SUCCESS', attempts: 2, rows: 1 })
    },
    { timeout: 30_000, interval: 200 },
  )
  expect((await readdir(folder)).toSorted()).toEqual(['drafts', `${id}_2.csv.gz`, 'owner'])
  expect(await readdir(join(folder, 'drafts'))).toEqual([])
})
