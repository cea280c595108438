import { randomUUID } from 'node:crypto'
import { auctions } from '../../../src/catalog/auctions.ts'
import { addDays, dayOf } from '../../../src/query/day.ts'
import { insertJob } from '../../../src/reports/submit-job.ts'
import type { Store } from '../../../src/store/open-store.ts'

const hourMs = 60 * 60 * 1000

/** The visible fields of a job. */
type Look = {
  readonly state?: 'SUCCESS' | 'FAILED'
  readonly startedAt?: number
  readonly finishedAt?: number
  readonly progress?: number
  readonly rows?: number
  readonly bytes?: number
  readonly failureReason?: string
  readonly expiresAt?: number
}

/** Creates a job in a fixed state. No worker can claim it yet. */
export async function poseJob(store: Store, accountId: string, look: Look): Promise<string> {
  const id = `job_${randomUUID().replaceAll('-', '')}`
  const now = Date.now()
  const [start, end] = [addDays(dayOf(now), -7), addDays(dayOf(now), -1)]
  const body = { start, end, dimensions: ['Day', 'Country'], metrics: ['Auctions', 'Net Revenue'], limit: 1_000_000 }
  const job = {
    id,
    accountId,
    cube: auctions.name,
    startDay: start,
    endDay: end,
    body: JSON.stringify(body),
    createdAt: now,
  }
  await store.transaction().execute(async (transaction) => {
    await insertJob(transaction, { ...job, deadlineAt: now + hourMs })
    await changeJob(transaction, id, { ...look, availableAt: now + hourMs })
  })
  return id
}

export const changeJob = (store: Store, id: string, look: Look & { readonly availableAt?: number }): Promise<unknown> =>
  store.updateTable('jobs').set(look).where('id', '=', id).execute()
