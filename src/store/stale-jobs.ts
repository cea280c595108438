import type { Failure } from './job-queue.ts'
import { jobColumns, type Job } from './jobs.ts'
import type { Store } from './open-store.ts'
import type { JobNeed } from './tables.ts'

/** Few enough for a statement that takes milliseconds; more come with the next one. */
const jobsAtOnce = 400

/** Ends some of the jobs whose deadline has passed, whoever has them; none where there are none left. */
export async function failOverdueJobs(
  store: Store,
  { now, expiresAt, reason, reasonByNeed }: Failure & { readonly reasonByNeed: Readonly<Record<JobNeed, string>> },
): Promise<readonly Job[]> {
  return store
    .updateTable('jobs')
    .set((sql) => ({
      state: 'FAILED',
      failureReason: sql
        .case('waitsFor')
        .when('disk')
        .then(reasonByNeed.disk)
        .when('engine')
        .then(reasonByNeed.engine)
        .else(reason)
        .end(),
      finishedAt: now,
      expiresAt: expiresAt,
      leaseUntil: null,
    }))
    .where('state', '=', 'PROCESSING')
    .where('id', 'in', (sql) =>
      sql
        .selectFrom('jobs')
        .select('id')
        .where('state', '=', 'PROCESSING')
        .where('deadlineAt', '<=', now)
        .orderBy('deadlineAt')
        .limit(jobsAtOnce),
    )
    .returning(jobColumns)
    .execute()
}

/** Some of the jobs that have been kept long enough. */
export async function listExpiredJobs(store: Store, now: number): Promise<readonly Pick<Job, 'id' | 'file'>[]> {
  return store
    .selectFrom('jobs')
    .select(['id', 'file'])
    .where('expiresAt', '<=', now)
    .orderBy('expiresAt')
    .limit(jobsAtOnce)
    .execute()
}

export async function deleteJob(store: Store, id: string): Promise<void> {
  await store.deleteFrom('jobs').where('id', '=', id).execute()
}

/** What of a job's files is needed: the report that it names, and what the attempt that holds it is making. */
type JobFiles = { readonly file: string | null; readonly heldAttempt: number | undefined }

/** Of those of these jobs that there are, by their ids. As many as fit into a statement. */
export async function findJobFiles(store: Store, ids: readonly string[]): Promise<ReadonlyMap<string, JobFiles>> {
  const rows = await store
    .selectFrom('jobs')
    .select(['id', 'file', 'state', 'attempts', 'leaseUntil'])
    .where('id', 'in', ids)
    .execute()
  // Whether the lease has run out says nothing: until another takes the job, its holder may still finish it.
  return new Map(
    rows.map(({ id, file, state, attempts, leaseUntil }) => [
      id,
      { file, heldAttempt: state === 'PROCESSING' && leaseUntil !== null ? attempts : undefined },
    ]),
  )
}
