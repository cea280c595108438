import { PostgresAdapter, sql, type UpdateObject } from 'kysely'
import { jobColumns, type Job, type JobWithBody } from './jobs.ts'
import type { Store } from './open-store.ts'
import type { JobNeed, Tables } from './tables.ts'

/**
 * A job that a worker has in its hands. The number of an attempt is never given twice, so a claim that is over, because
 * it was given back or taken over, can never be mistaken for another.
 */
export type Claim = { readonly id: string; readonly attempt: number }

/** How a job ends that has failed. */
export type Failure = { readonly reason: string; readonly now: number; readonly expiresAt: number }

const dayMs = 24 * 60 * 60 * 1000

type Claimed =
  | { readonly job: JobWithBody }
  /** It was to be handed out once more than it may be, and has failed instead. */
  | { readonly exhausted: Job }

/**
 * Takes the next job, or undefined where there is none to take. First come those of accounts that have had the fewest
 * jobs started today, so that an account's tenth job waits for another's first.
 */
export async function claimJob(
  store: Store,
  {
    now,
    leaseMs,
    passOver,
    attemptsMax,
    failure,
  }: {
    now: number
    leaseMs: number
    passOver: readonly string[]
    /** An attempt that brings its process down reports nothing, so attempts are counted here, before they begin. */
    attemptsMax: number
    failure: Failure
  },
): Promise<Claimed | undefined> {
  const isPostgres = store.getExecutor().adapter instanceof PostgresAdapter
  const findNext = (from: Store) => {
    const query = from
      .selectFrom('jobs')
      .select(['id', 'attempts', 'excused'])
      .where('state', '=', 'PROCESSING')
      .where('availableAt', '<=', now)
      .where('deadlineAt', '>', now)
      .where((sql) => sql.or([sql('leaseUntil', 'is', null), sql('leaseUntil', '<=', now)]))
      .$if(passOver.length > 0, (some) => some.where('accountId', 'not in', passOver))
      .orderBy((sql) =>
        sql
          .selectFrom('jobs as started')
          .select((count) => count.fn.countAll().as('count'))
          .whereRef('started.accountId', '=', 'jobs.accountId')
          .where('started.startedAt', '>', now - dayMs),
      )
      .orderBy('createdAt')
      .orderBy('id')
      .limit(1)
    // SQLite's transaction has the one lock already; in PostgreSQL two workers must not wait for the same row.
    return from.isTransaction && isPostgres ? query.forUpdate().skipLocked() : query
  }
  // Mostly there is nothing to do, and to find that out needs no lock.
  if (!(await findNext(store).executeTakeFirst())) return undefined
  return store.transaction().execute(async (transaction): Promise<Claimed | undefined> => {
    const next = await findNext(transaction).executeTakeFirst()
    if (!next) return undefined
    if (next.attempts - next.excused >= attemptsMax) {
      const exhausted = await transaction
        .updateTable('jobs')
        .set(failed(failure))
        .where('id', '=', next.id)
        .returning(jobColumns)
        .executeTakeFirstOrThrow()
      return { exhausted }
    }
    const job = await transaction
      .updateTable('jobs')
      .set((sql) => ({
        leaseUntil: now + leaseMs,
        attempts: sql('attempts', '+', 1),
        startedAt: sql.fn.coalesce('startedAt', sql.val(now)),
      }))
      .where('id', '=', next.id)
      .returning([...jobColumns, 'body'])
      .executeTakeFirstOrThrow()
    return { job }
  })
}

/** Keeps a claim; false where it is over: the job was cancelled, has run out of time, or is another's by now. */
export async function renewLease(
  store: Store,
  { leaseUntil, progress, ...claim }: Claim & { readonly leaseUntil: number; readonly progress: number },
): Promise<boolean> {
  // One that is worked on for so long waits for nothing any more.
  return changeHeld(store, claim, { leaseUntil: leaseUntil, progress, waitsFor: null })
}

/** Whether a claim is not over. Costs less than to renew it. */
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

/** Gives a job back to be tried again, by anybody. What it waits for excuses the attempt. */
export async function releaseJob(
  store: Store,
  {
    availableAt,
    isExcused,
    waitsFor,
    ...claim
  }: Claim & { readonly availableAt: number; readonly isExcused: boolean; readonly waitsFor?: JobNeed | undefined },
): Promise<boolean> {
  return changeHeld(store, claim, {
    leaseUntil: null,
    availableAt: availableAt,
    waitsFor: waitsFor ?? null,
    ...(isExcused && { excused: sql<number>`excused + 1` }),
  })
}

type Made = Pick<Job, 'file' | 'rows' | 'bytes' | 'checksum'> & { readonly blocks?: string }

/** Makes a report known; false where the claim is over, and the report is nobody's. */
export async function completeJob(
  store: Store,
  { made, now, expiresAt, ...claim }: Claim & { readonly made: Made; readonly now: number; readonly expiresAt: number },
): Promise<boolean> {
  const { file, rows, bytes, checksum, blocks } = made
  return changeHeld(store, claim, {
    state: 'SUCCESS',
    progress: 1,
    finishedAt: now,
    expiresAt: expiresAt,
    file,
    rows,
    bytes,
    checksum,
    blocks: blocks ?? null,
    leaseUntil: null,
    waitsFor: null,
  })
}

/** Ends a job that its worker cannot make; false where the claim is over. */
export async function failClaimedJob(store: Store, { id, attempt, ...failure }: Claim & Failure): Promise<boolean> {
  return changeHeld(store, { id, attempt }, failed(failure))
}

const failed = ({ reason, now, expiresAt }: Failure) =>
  ({
    state: 'FAILED',
    failureReason: reason,
    finishedAt: now,
    expiresAt: expiresAt,
    leaseUntil: null,
    waitsFor: null,
  }) as const

async function changeHeld(
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
    // A claim that was given back is over, although nobody else has the job yet.
    .where('leaseUntil', 'is not', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}
