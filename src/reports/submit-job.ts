import { randomUUID } from 'node:crypto'
import type { Day } from '../query/day.ts'
import { lockAccounts, type Account } from '../store/accounts.ts'
import { findJobByKey, insertJob, type Job } from '../store/jobs.ts'
import type { Store } from '../store/open-store.ts'
import { readJobQuota } from './job-quota.ts'

/** A repeat within this time is the same job. */
const repeatMs = 24 * 60 * 60 * 1000

type Submission = {
  readonly account: Account
  readonly cube: string
  readonly start: Day
  readonly end: Day
  /** A query that has passed its checks. */
  readonly body: unknown
  readonly idempotencyKey: string | undefined
  readonly deadlineMs: number
  readonly now: number
}

type Outcome =
  | { readonly job: Job }
  | { readonly refusal: 'too_many_jobs'; readonly quota: number; readonly retryMs: number }
  /** The key stands for another query. */
  | { readonly refusal: 'key_taken' }

/** Accepts a job. From here on it ends, one way or the other. */
export async function submitJob(store: Store, submission: Submission): Promise<Outcome> {
  const { account, cube, start, end, idempotencyKey, deadlineMs, now } = submission
  const body = JSON.stringify(submission.body)
  return store.transaction().execute(async (transaction): Promise<Outcome> => {
    // One at a time for an account: of twenty that come at once, ten are accepted, and one of those with the same key.
    await lockAccounts(transaction, [account.id])
    if (idempotencyKey !== undefined) {
      const known = { accountId: account.id, idempotencyKey, since: now - repeatMs }
      const job = await findJobByKey(transaction, known)
      if (job) return job.body === body && job.cube === cube ? { job } : { refusal: 'key_taken' }
    }
    const { quota, nextFreeAt } = await readJobQuota(transaction, account, now)
    if (nextFreeAt !== undefined) return { refusal: 'too_many_jobs', quota, retryMs: nextFreeAt - now }
    const job = await insertJob(transaction, {
      id: `job_${randomUUID().replaceAll('-', '')}`,
      accountId: account.id,
      cube,
      startDay: start,
      endDay: end,
      body,
      idempotencyKey: idempotencyKey ?? null,
      createdAt: now,
      deadlineAt: now + deadlineMs,
    })
    return { job }
  })
}
