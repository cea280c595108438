import { PostgresAdapter } from 'kysely'
import { jobColumns, toJob, type Job, type JobWithBody } from './jobs.ts'
import type { Store } from './open-store.ts'
import type { Tables } from './tables.ts'

/** A job that a worker has in its hands, for as long as it renews the lease. */
type Claim = { readonly id: string; readonly worker: string }

const dayMs = 24 * 60 * 60 * 1000

/**
 * Takes the next job, or undefined where there is none to take. First come those of accounts that have had the fewest
 * jobs started today, so that an account's tenth job waits for another's first.
 */
export async function claimJob(
  store: Store,
  { worker, now, leaseMs, passOver }: { worker: string; now: number; leaseMs: number; passOver: readonly string[] },
): Promise<JobWithBody | undefined> {
  const isPostgres = store.getExecutor().adapter instanceof PostgresAdapter
  const findNext = (from: Store) => {
    const query = from
      .selectFrom('jobs')
      .select('id')
      .where('state', '=', 'PROCESSING')
      .where('available_at', '<=', now)
      .where('deadline_at', '>', now)
      .where((sql) => sql.or([sql('lease_until', 'is', null), sql('lease_until', '<=', now)]))
      .$if(passOver.length > 0, (some) => some.where('account_id', 'not in', passOver))
      .orderBy((sql) =>
        sql
          .selectFrom('jobs as started')
          .select((count) => count.fn.countAll().as('count'))
          .whereRef('started.account_id', '=', 'jobs.account_id')
          .where('started.started_at', '>', now - dayMs),
      )
      .orderBy('created_at')
      .orderBy('id')
      .limit(1)
    // SQLite's transaction has the one lock already; in PostgreSQL two workers must not wait for the same row.
    return from.isTransaction && isPostgres ? query.forUpdate().skipLocked() : query
  }
  // Mostly there is nothing to do, and to find that out needs no lock.
  if (!(await findNext(store).executeTakeFirst())) return undefined
  return store.transaction().execute(async (transaction) => {
    const next = await findNext(transaction).executeTakeFirst()
    if (!next) return undefined
    const row = await transaction
      .updateTable('jobs')
      .set((sql) => ({
        worker,
        lease_until: now + leaseMs,
        attempts: sql('attempts', '+', 1),
        started_at: sql.fn.coalesce('started_at', sql.val(now)),
      }))
      .where('id', '=', next.id)
      .returning([...jobColumns, 'body'])
      .executeTakeFirstOrThrow()
    return { ...toJob(row), body: row.body }
  })
}

/** Keeps a claim; false where it is lost: the job was cancelled, has run out of time, or is another's by now. */
export async function renewLease(
  store: Store,
  { id, worker, leaseUntil, progress }: Claim & { readonly leaseUntil: number; readonly progress: number },
): Promise<boolean> {
  return changeClaimed(store, { id, worker }, { lease_until: leaseUntil, progress })
}

/** Gives a job back to be tried again, by anybody. */
export async function releaseJob(
  store: Store,
  { id, worker, availableAt, attempts }: Claim & { readonly availableAt: number; readonly attempts: number },
): Promise<boolean> {
  return changeClaimed(store, { id, worker }, { worker: null, lease_until: null, available_at: availableAt, attempts })
}

type Made = Pick<Job, 'file' | 'rows' | 'bytes' | 'checksum'>

/** Makes a report known; false where the claim was lost, and the report is nobody's. */
export async function completeJob(
  store: Store,
  {
    id,
    worker,
    made,
    now,
    expiresAt,
  }: Claim & { readonly made: Made; readonly now: number; readonly expiresAt: number },
): Promise<boolean> {
  const { file, rows, bytes, checksum } = made
  return changeClaimed(
    store,
    { id, worker },
    {
      state: 'SUCCESS',
      progress: 1,
      finished_at: now,
      expires_at: expiresAt,
      file,
      rows,
      bytes,
      checksum,
      worker: null,
      lease_until: null,
    },
  )
}

/** The jobs that nobody can finish in time any more. */
export async function listOverdueJobs(store: Store, now: number): Promise<readonly string[]> {
  const rows = await store
    .selectFrom('jobs')
    .select('id')
    .where('state', '=', 'PROCESSING')
    .where('deadline_at', '<=', now)
    .execute()
  return rows.map(({ id }) => id)
}

export async function listExpiredJobs(store: Store, now: number): Promise<readonly Pick<Job, 'id' | 'file'>[]> {
  return store.selectFrom('jobs').select(['id', 'file']).where('expires_at', '<=', now).execute()
}

export async function deleteJob(store: Store, id: string): Promise<void> {
  await store.deleteFrom('jobs').where('id', '=', id).execute()
}

type JobFile = { readonly file: string | null; readonly isClaimed: boolean }

/** The file of every job by its id, and whether the job is being worked on right now. */
export async function listJobFiles(store: Store, now: number): Promise<ReadonlyMap<string, JobFile>> {
  const rows = await store.selectFrom('jobs').select(['id', 'file', 'state', 'lease_until']).execute()
  return new Map(
    rows.map(({ id, file, state, lease_until: until }) => [
      id,
      { file, isClaimed: state === 'PROCESSING' && until !== null && until > now },
    ]),
  )
}

async function changeClaimed(store: Store, { id, worker }: Claim, change: Partial<Tables['jobs']>): Promise<boolean> {
  const { numUpdatedRows } = await store
    .updateTable('jobs')
    .set(change)
    .where('id', '=', id)
    .where('worker', '=', worker)
    .where('state', '=', 'PROCESSING')
    .executeTakeFirst()
  return numUpdatedRows === 1n
}
