import { sql, type UpdateObject } from 'kysely'
import type { Store } from '../store/open-store.ts'
import { isPostgres } from '../store/postgres.ts'
import type { JobNeed, Tables } from '../store/tables.ts'
import { jobColumns, type Job } from './job.ts'

/**
 * A job and the attempt at it that a worker has begun. Attempts are never numbered twice, so a worker whose claim is over
 * (it was given back, or another worker took the job) can change nothing any more.
 */
export type Claim = { readonly id: string; readonly attempt: number }

/** The outcome of a failed job. */
export type Failure = { readonly reason: string; readonly now: number; readonly expiresAt: number }

export type ClaimedJob = Job & { readonly body: string }

type Claimed =
  | { readonly job: ClaimedJob }
  /** It has had all its attempts, and has failed instead. */
  | { readonly exhausted: Job }

type Wanted = {
  readonly now: number
  readonly leaseMs: number
  /** Accounts whose jobs are left to others. */
  readonly passOver: readonly string[]
  /** Attempts are counted when they begin, because one that brings its process down reports nothing. */
  readonly attemptsMax: number
  /** The outcome of a job that has had all its attempts. */
  readonly failure: Failure
}

/**
 * Takes the next job, if there is one. Jobs that were begun before and are due again come first. Then come the first jobs
 * of the day of all accounts, then their second ones, so that an account's tenth job waits for another's first.
 */
export async function claimJob(store: Store, wanted: Wanted): Promise<Claimed | undefined> {
  const { now, leaseMs, attemptsMax, failure } = wanted
  // Mostly there is nothing to do, and to find that out needs no lock.
  if (!(await findNext(store, wanted))) return undefined
  return store.transaction().execute(async (transaction): Promise<Claimed | undefined> => {
    const next = await findNext(transaction, wanted)
    if (!next) return undefined
    const update = transaction.updateTable('jobs').where('id', '=', next.id)
    if (next.attempts - next.excused >= attemptsMax) {
      return { exhausted: await update.set(failed(failure)).returning(jobColumns).executeTakeFirstOrThrow() }
    }
    const job = await update
      .set((sql) => ({
        leaseUntil: now + leaseMs,
        availableAt: now + leaseMs,
        attempts: sql('attempts', '+', 1),
        startedAt: sql.fn.coalesce('startedAt', sql.val(now)),
      }))
      .returning([...jobColumns, 'body'])
      .executeTakeFirstOrThrow()
    return { job }
  })
}

async function findNext(store: Store, wanted: Wanted) {
  return (await findBegun(store, wanted)) ?? (await findWaiting(store, wanted))
}

/** Reads the index jobs_begun, up to the first job that is due. */
const findBegun = (store: Store, wanted: Wanted) =>
  lockFirst(
    store,
    selectOpen(store, wanted)
      // A literal, because the index has only these rows.
      .where(sql<boolean>`attempts > 0`)
      .where('availableAt', '<=', wanted.now)
      .where((job) => job.or([job('leaseUntil', 'is', null), job('leaseUntil', '<=', wanted.now)]))
      .orderBy('availableAt'),
  )

/** Reads the index jobs_waiting, up to the first job whose account is not passed over. */
const findWaiting = (store: Store, wanted: Wanted) =>
  lockFirst(
    store,
    selectOpen(store, wanted)
      .where(sql<boolean>`attempts = 0`)
      .where(sql<boolean>`+available_at <= ${wanted.now}`)
      .orderBy('turn')
      .orderBy('createdAt')
      .orderBy('id'),
  )

/** With a + a column is compared, but no index over it is used: the order of the queue has to come from its own. */
const selectOpen = (store: Store, { now, passOver }: Wanted) =>
  store
    .selectFrom('jobs')
    .select(['id', 'attempts', 'excused'])
    .where('state', '=', 'PROCESSING')
    .where(sql<boolean>`+deadline_at > ${now}`)
    .$if(passOver.length > 0, (some) => some.where('accountId', 'not in', passOver))

function lockFirst(store: Store, query: ReturnType<typeof selectOpen>) {
  // A transaction of SQLite has the one lock already; in PostgreSQL two workers must not wait for the same row.
  const isToLock = store.isTransaction && isPostgres(store)
  return (isToLock ? query.limit(1).forUpdate().skipLocked() : query.limit(1)).executeTakeFirst()
}

/** Keeps a claim; false if it is over: the job was cancelled, has run out of time, or was taken by another worker. */
export const renewClaim = (
  store: Store,
  { leaseUntil, progress, ...claim }: Claim & { readonly leaseUntil: number; readonly progress: number },
): Promise<boolean> => updateClaimed(store, claim, { leaseUntil, availableAt: leaseUntil, progress, waitsFor: null })

/** Checks that a claim is not over, which costs less than to renew it. */
export async function isHeld(store: Store, { id, attempt }: Claim): Promise<boolean> {
  const row = await store
    .selectFrom('jobs')
    .select('id')
    .where('id', '=', id)
    .where('attempts', '=', attempt)
    .where('state', '=', 'PROCESSING')
    .where('leaseUntil', 'is not', null)
    .executeTakeFirst()
  return row !== undefined
}

type Release = {
  readonly availableAt: number
  /** The attempt does not count: it ended through no fault of the job. */
  readonly isExcused: boolean
  readonly waitsFor?: JobNeed | undefined
}

/** Gives a job back, for any worker to try again. */
export const releaseJob = (
  store: Store,
  { availableAt, isExcused, waitsFor, ...claim }: Claim & Release,
): Promise<boolean> =>
  updateClaimed(store, claim, {
    leaseUntil: null,
    availableAt,
    waitsFor: waitsFor ?? null,
    ...(isExcused && { excused: sql<number>`excused + 1` }),
  })

type Made = Pick<Job, 'file' | 'rows' | 'bytes' | 'checksum'> & { readonly blocks?: string }

/** Records a report; false if the claim is over, and the report belongs to no job. */
export const completeJob = (
  store: Store,
  { made, now, expiresAt, ...claim }: Claim & { readonly made: Made; readonly now: number; readonly expiresAt: number },
): Promise<boolean> => updateClaimed(store, claim, { state: 'SUCCESS', progress: 1, ...made, ...ended(now, expiresAt) })

/** Ends a job that its worker cannot make; false if the claim is over. */
export const failJob = (store: Store, { id, attempt, ...failure }: Claim & Failure): Promise<boolean> =>
  updateClaimed(store, { id, attempt }, failed(failure))

export const failed = ({ reason, now, expiresAt }: Failure) =>
  ({ state: 'FAILED', failureReason: reason, ...ended(now, expiresAt) }) as const

const ended = (finishedAt: number, expiresAt: number) =>
  ({ finishedAt, expiresAt, leaseUntil: null, waitsFor: null }) as const

async function updateClaimed(
  store: Store,
  { id, attempt }: Claim,
  change: UpdateObject<Tables, 'jobs'>,
): Promise<boolean> {
  const { numUpdatedRows } = await store
    .updateTable('jobs')
    .set(change)
    .where('id', '=', id)
    .where('attempts', '=', attempt)
    .where('state', '=', 'PROCESSING')
    // A claim that was given back is over, although no other worker has the job yet.
    .where('leaseUntil', 'is not', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}
