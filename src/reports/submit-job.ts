import { randomUUID } from 'node:crypto'
import type { Insertable } from 'kysely'
import { dayMs, type Day } from '../query/day.ts'
import { lockAccounts, type Account } from '../store/accounts.ts'
import type { Store } from '../store/open-store.ts'
import type { Tables } from '../store/tables.ts'
import { jobColumns, type Job } from './job.ts'
import { readJobQuota } from './job-quota.ts'

/** A repeated Idempotency-Key stands for the same job for this long. */
const repeatMs = dayMs

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
  const { account, cube, start, end, idempotencyKey = null, deadlineMs, now } = submission
  const body = JSON.stringify(submission.body)
  return store.transaction().execute(async (transaction): Promise<Outcome> => {
    // One at a time for an account: of twenty at once, ten are accepted, and one of those with the same key.
    await lockAccounts(transaction, [account.id])
    if (idempotencyKey !== null) {
      const earlier = await transaction
        .selectFrom('jobs')
        .select([...jobColumns, 'body'])
        .where('accountId', '=', account.id)
        .where('idempotencyKey', '=', idempotencyKey)
        .where('createdAt', '>', now - repeatMs)
        .executeTakeFirst()
      if (earlier) return earlier.body === body && earlier.cube === cube ? { job: earlier } : { refusal: 'key_taken' }
    }
    const { quota, used, nextFreeAt } = await readJobQuota(transaction, account, now)
    if (nextFreeAt !== undefined) return { refusal: 'too_many_jobs', quota, retryMs: nextFreeAt - now }
    const job = await insertJob(transaction, {
      id: `job_${randomUUID().replaceAll('-', '')}`,
      accountId: account.id,
      cube,
      startDay: start,
      endDay: end,
      body,
      idempotencyKey,
      createdAt: now,
      deadlineAt: now + deadlineMs,
      turn: used,
    })
    return { job }
  })
}

type NewJob = Omit<Insertable<Tables['jobs']>, 'state' | 'availableAt' | 'attempts' | 'excused' | 'progress'>

export const insertJob = (store: Store, job: NewJob): Promise<Job> =>
  store
    .insertInto('jobs')
    .values({ ...job, state: 'PROCESSING', availableAt: job.createdAt, attempts: 0, excused: 0, progress: 0 })
    .returning(jobColumns)
    .executeTakeFirstOrThrow()
