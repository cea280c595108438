import { cubesOf } from '../store/accounts.ts'
import type { Store } from '../store/open-store.ts'
import { jobColumns, type Job } from './job.ts'

/** A report of a job. Size and checksum are those of the CSV in it. */
export type StoredReport = Pick<Job, 'id' | 'bytes' | 'checksum'> & { readonly file: string }

const reportsAtOnce = 1_000

/** Lists every report that a job has, by job id. */
export async function* listReports(store: Store): AsyncGenerator<StoredReport> {
  for (let after = ''; ;) {
    const reports = await store
      .selectFrom('jobs')
      .select(['id', 'file', 'bytes', 'checksum'])
      .where('id', '>', after)
      .where('file', 'is not', null)
      .$narrowType<{ file: string }>()
      .orderBy('id')
      .limit(reportsAtOnce)
      .execute()
    yield* reports
    const last = reports.at(-1)
    if (!last) return
    after = last.id
  }
}

export async function countReports(store: Store): Promise<number> {
  const { count } = await store
    .selectFrom('jobs')
    .select((sql) => sql.fn.countAll<number>().as('count'))
    .where('file', 'is not', null)
    .executeTakeFirstOrThrow()
  return count
}

const columns = jobColumns.map((column) => `jobs.${column}` as const)

/** Finds a job with all that decides whether its report may be downloaded: rights may have changed since it was made. */
export async function findReport(store: Store, jobId: string) {
  const row = await store
    .selectFrom('jobs')
    .innerJoin('accounts', 'accounts.id', 'jobs.accountId')
    .select([...columns, 'jobs.blocks', 'accounts.disabledAt', 'accounts.cubes'])
    .where('jobs.id', '=', jobId)
    .where('jobs.removedAt', 'is', null)
    .executeTakeFirst()
  if (!row) return undefined
  const { blocks, disabledAt, cubes, ...job } = row
  const isCubeAllowed = cubesOf({ cubes }).some(({ name }) => name === job.cube)
  return { job, blocks, isAccountDisabled: disabledAt !== null, isCubeAllowed }
}
