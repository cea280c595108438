import { Readable } from 'node:stream'
import { expect } from 'vitest'
import { packCsv } from '../../src/facts/pack-csv.ts'
import { completeJob } from '../../src/reports/job-queue.ts'
import type { Store } from '../../src/store/open-store.ts'
import { takeJob } from './claims.ts'
import type { openControlService } from './control-service.ts'

type Service = Awaited<ReturnType<typeof openControlService>>

/** Creates an account with a finished job whose report is the given text, and returns the path of its download. */
export async function makeReport(store: Store, { ask, clock, makeAccount, send, storage }: Service, csv: Buffer) {
  const account = await makeAccount()
  const { body } = await send({
    method: 'POST',
    url: '/v2/data/asynchronous?cube=auctions',
    headers: { 'x-api-key': account.key },
    payload: { start: '2026-11-14', end: '2026-11-14', dimensions: ['Day'], metrics: ['Auctions'] },
  })
  if (!body.job_id) throw new Error(JSON.stringify(body))
  const file = `${body.job_id}_1.csv.gz`
  const draft = await storage.draft(file)
  const made = { file, ...(await packCsv(Readable.from([csv]), draft.stream, new AbortController().signal)) }
  await draft.publish()
  await takeJob(store, clock.now)
  const expiresAt = clock.now + 7 * 86_400_000
  expect(await completeJob(store, { id: body.job_id, attempt: 1, made, now: clock.now, expiresAt })).toBe(true)
  const url = async () => {
    const [job] = (await ask(account.key, 'GET', `/v2/data/status?jobId=${body.job_id}`)).body
    return String(job.output_url).replace('http://localhost:80', '')
  }
  return { key: account.key, accountId: account.id, id: String(body.job_id), file, url }
}
