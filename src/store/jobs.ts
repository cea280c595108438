import type { Day } from '../query/day.ts'
import type { Store } from './open-store.ts'
import type { JobState, Tables } from './tables.ts'

export type Job = {
  readonly id: string
  readonly accountId: string
  readonly cube: string
  /** The days that it is about. */
  readonly start: Day
  readonly end: Day
  readonly state: JobState
  readonly createdAt: number
  readonly deadlineAt: number
  /** How often it was claimed, and how many of those attempts ended through no fault of its own. */
  readonly attempts: number
  readonly excused: number
  readonly startedAt: number | null
  readonly finishedAt: number | null
  readonly progress: number
  readonly file: string | null
  readonly rows: number | null
  readonly bytes: number | null
  readonly checksum: string | null
  readonly failureReason: string | null
  readonly expiresAt: number | null
}

/** The query as it was sent, JSON, comes only with jobs that are worked on: it may be large. */
export type JobWithBody = Job & { readonly body: string }

export async function insertJob(
  store: Store,
  job: Pick<JobWithBody, 'id' | 'accountId' | 'cube' | 'start' | 'end' | 'body' | 'createdAt' | 'deadlineAt'> & {
    readonly idempotencyKey: string | undefined
  },
): Promise<Job> {
  const row = await store
    .insertInto('jobs')
    .values({
      id: job.id,
      account_id: job.accountId,
      cube: job.cube,
      start_day: job.start,
      end_day: job.end,
      body: job.body,
      idempotency_key: job.idempotencyKey ?? null,
      state: 'PROCESSING',
      created_at: job.createdAt,
      deadline_at: job.deadlineAt,
      available_at: job.createdAt,
      attempts: 0,
      excused: 0,
      lease_until: null,
      waits_for: null,
      started_at: null,
      finished_at: null,
      progress: 0,
      file: null,
      rows: null,
      bytes: null,
      checksum: null,
      blocks: null,
      failure_reason: null,
      expires_at: null,
      removed_at: null,
    })
    .returning(jobColumns)
    .executeTakeFirstOrThrow()
  return toJob(row)
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
    .where('account_id', '=', accountId)
    .where('removed_at', 'is', null)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
  if (id !== undefined) query = query.where('id', '=', id)
  if (state !== undefined) query = query.where('state', '=', state)
  if (since !== undefined) query = query.where('created_at', '>', since)
  return (await query.execute()).map(toJob)
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
    .where('account_id', '=', accountId)
    .where('removed_at', 'is', null)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
  if (id !== undefined) query = query.where('id', '=', id)
  if (before !== undefined) {
    const { createdAt } = before
    query = query.where((sql) => sql(sql.refTuple('created_at', 'id'), '<', sql.tuple(createdAt, before.id)))
  }
  return (await query.execute()).map((row) => ({ ...toJob(row), query: row.query }))
}

/** A job that is still to be had, whoever's it is. */
export async function findJob(store: Store, id: string): Promise<Job | undefined> {
  const row = await store
    .selectFrom('jobs')
    .select(jobColumns)
    .where('id', '=', id)
    .where('removed_at', 'is', null)
    .executeTakeFirst()
  return row && toJob(row)
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
  const row = await store
    .selectFrom('jobs')
    .select([...jobColumns, 'body'])
    .where('account_id', '=', accountId)
    .where('idempotency_key', '=', idempotencyKey)
    .where('created_at', '>', since)
    .executeTakeFirst()
  return row && { ...toJob(row), body: row.body }
}

/**
 * When an account started jobs, oldest first. Those that it has removed count too; those that failed because the server
 * had no disk space for them do not.
 */
export async function listJobTimes(store: Store, accountId: string, since: number): Promise<readonly number[]> {
  const rows = await store
    .selectFrom('jobs')
    .select('created_at')
    .where('account_id', '=', accountId)
    .where('created_at', '>', since)
    .where((sql) =>
      sql.not(sql.and([sql('state', '=', 'FAILED'), sql(sql.fn.coalesce('waits_for', sql.val('')), '=', 'disk')])),
    )
    .orderBy('created_at')
    .execute()
  return rows.map(({ created_at }) => created_at)
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
      failure_reason: 'cancelled',
      finished_at: now,
      expires_at: expiresAt,
      lease_until: null,
      waits_for: null,
    })
    .where('id', '=', id)
    .where('state', '=', 'PROCESSING')
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Hides a finished job from its account. */
export async function markJobRemoved(store: Store, id: string, now: number): Promise<void> {
  await store.updateTable('jobs').set({ removed_at: now, file: null }).where('id', '=', id).execute()
}

export const jobColumns = [
  'id',
  'account_id',
  'cube',
  'start_day',
  'end_day',
  'state',
  'created_at',
  'deadline_at',
  'attempts',
  'excused',
  'started_at',
  'finished_at',
  'progress',
  'file',
  'rows',
  'bytes',
  'checksum',
  'failure_reason',
  'expires_at',
] as const

export const toJob = (row: Pick<Tables['jobs'], (typeof jobColumns)[number]>): Job => ({
  id: row.id,
  accountId: row.account_id,
  cube: row.cube,
  start: row.start_day,
  end: row.end_day,
  state: row.state,
  createdAt: row.created_at,
  deadlineAt: row.deadline_at,
  attempts: row.attempts,
  excused: row.excused,
  startedAt: row.started_at,
  finishedAt: row.finished_at,
  progress: row.progress,
  file: row.file,
  rows: row.rows,
  bytes: row.bytes,
  checksum: row.checksum,
  failureReason: row.failure_reason,
  expiresAt: row.expires_at,
})
