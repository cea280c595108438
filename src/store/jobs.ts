import type { Insertable, Selectable } from 'kysely'
import type { Store } from './open-store.ts'
import type { JobState, Tables } from './tables.ts'

/** All but what may be large, the query and the report's blocks, and what only the queue reads. */
export const jobColumns = [
  'id',
  'accountId',
  'cube',
  'startDay',
  'endDay',
  'state',
  'createdAt',
  'deadlineAt',
  'attempts',
  'excused',
  'startedAt',
  'finishedAt',
  'progress',
  'file',
  'rows',
  'bytes',
  'checksum',
  'failureReason',
  'expiresAt',
] as const

export type Job = Pick<Selectable<Tables['jobs']>, (typeof jobColumns)[number]>

/** The query as it was sent comes only with jobs that are worked on. */
export type JobWithBody = Job & { readonly body: string }

type NewJob = Omit<Insertable<Tables['jobs']>, 'state' | 'availableAt' | 'attempts' | 'excused' | 'progress'>

export async function insertJob(store: Store, job: NewJob): Promise<Job> {
  return store
    .insertInto('jobs')
    .values({ ...job, state: 'PROCESSING', availableAt: job.createdAt, attempts: 0, excused: 0, progress: 0 })
    .returning(jobColumns)
    .executeTakeFirstOrThrow()
}

type Wanted = {
  readonly accountId: string
  readonly id?: string | undefined
  readonly state?: JobState | undefined
  readonly since?: number | undefined
}

/** The jobs that an account still has, newest first. */
export async function listJobs(store: Store, { accountId, id, state, since }: Wanted): Promise<readonly Job[]> {
  let query = store
    .selectFrom('jobs')
    .select(jobColumns)
    .where('accountId', '=', accountId)
    .where('removedAt', 'is', null)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
  if (id !== undefined) query = query.where('id', '=', id)
  if (state !== undefined) query = query.where('state', '=', state)
  if (since !== undefined) query = query.where('createdAt', '>', since)
  return query.execute()
}

/** With the query as it was sent, JSON, or null where that is long: a list must not weigh a megabyte a job. */
export type ListedJob = Job & { readonly query: string | null }

const listedBytesMax = 16_384

/** A part of the jobs that an account still has, newest first: at most `limit`, only those older than `before`. */
export async function listJobsWithQueries(
  store: Store,
  {
    accountId,
    id,
    before,
    limit,
  }: {
    readonly accountId: string
    readonly id?: string | undefined
    readonly before?: Pick<Job, 'createdAt' | 'id'> | undefined
    readonly limit: number
  },
): Promise<readonly ListedJob[]> {
  let query = store
    .selectFrom('jobs')
    .select(jobColumns)
    .select((sql) =>
      sql
        .case()
        .when(sql.fn<number>('octet_length', ['body']), '<=', listedBytesMax)
        .then(sql.ref('body'))
        .end()
        .as('query'),
    )
    .where('accountId', '=', accountId)
    .where('removedAt', 'is', null)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
  if (id !== undefined) query = query.where('id', '=', id)
  if (before !== undefined) {
    const { createdAt } = before
    query = query.where((sql) => sql(sql.refTuple('createdAt', 'id'), '<', sql.tuple(createdAt, before.id)))
  }
  return query.execute()
}

/** A job that is still to be had, whoever's it is. */
export async function findJob(store: Store, id: string): Promise<Job | undefined> {
  return store
    .selectFrom('jobs')
    .select(jobColumns)
    .where('id', '=', id)
    .where('removedAt', 'is', null)
    .executeTakeFirst()
}

export async function isJobUnderWay(store: Store, id: string): Promise<boolean> {
  const row = await store
    .selectFrom('jobs')
    .select('id')
    .where('id', '=', id)
    .where('state', '=', 'PROCESSING')
    .executeTakeFirst()
  return row !== undefined
}

export async function findJobByKey(
  store: Store,
  {
    accountId,
    idempotencyKey,
    since,
  }: { readonly accountId: string; readonly idempotencyKey: string; readonly since: number },
): Promise<JobWithBody | undefined> {
  return store
    .selectFrom('jobs')
    .select([...jobColumns, 'body'])
    .where('accountId', '=', accountId)
    .where('idempotencyKey', '=', idempotencyKey)
    .where('createdAt', '>', since)
    .executeTakeFirst()
}

/**
 * When an account started jobs, oldest first. Those that it has removed count too; those that failed because the server
 * had no disk space for them do not.
 */
export async function listJobTimes(store: Store, accountId: string, since: number): Promise<readonly number[]> {
  const rows = await store
    .selectFrom('jobs')
    .select('createdAt')
    .where('accountId', '=', accountId)
    .where('createdAt', '>', since)
    .where((sql) =>
      sql.not(sql.and([sql('state', '=', 'FAILED'), sql(sql.fn.coalesce('waitsFor', sql.val('')), '=', 'disk')])),
    )
    .orderBy('createdAt')
    .execute()
  return rows.map(({ createdAt }) => createdAt)
}

/** Ends a job because its account wants it to, whoever works on it; false where it has ended already. */
export async function cancelJob(
  store: Store,
  { id, now, expiresAt }: { readonly id: string; readonly now: number; readonly expiresAt: number },
): Promise<boolean> {
  const { numUpdatedRows } = await store
    .updateTable('jobs')
    .set({
      state: 'FAILED',
      failureReason: 'cancelled',
      finishedAt: now,
      expiresAt: expiresAt,
      leaseUntil: null,
      waitsFor: null,
    })
    .where('id', '=', id)
    .where('state', '=', 'PROCESSING')
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Hides a finished job from its account. */
export async function markJobRemoved(store: Store, id: string, now: number): Promise<void> {
  await store.updateTable('jobs').set({ removedAt: now, file: null }).where('id', '=', id).execute()
}
