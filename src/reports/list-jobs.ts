import type { Store } from '../store/open-store.ts'
import type { JobState } from '../store/tables.ts'
import { jobColumns, type Job } from './job.ts'

type Wanted = {
  readonly accountId: string
  readonly id?: string | undefined
  readonly state?: JobState | undefined
  readonly since?: number | undefined
  /** The last job of the page before. */
  readonly before?: Pick<Job, 'createdAt' | 'id'> | undefined
  readonly limit?: number | undefined
}

/** The query is null where it is long, so that a list stays small. */
export type ListedJob = Job & { readonly query: string | null }

const listedBytesMax = 16_384

/** Lists the jobs that an account has and has not removed, newest first. */
export async function listJobs(store: Store, wanted: Wanted): Promise<readonly ListedJob[]> {
  const { accountId, id, state, since, before, limit } = wanted
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
  if (id !== undefined) query = query.where('id', '=', id)
  if (state !== undefined) query = query.where('state', '=', state)
  if (since !== undefined) query = query.where('createdAt', '>', since)
  if (before !== undefined) {
    query = query.where((sql) => sql(sql.refTuple('createdAt', 'id'), '<', sql.tuple(before.createdAt, before.id)))
  }
  if (limit !== undefined) query = query.limit(limit)
  return query.execute()
}
