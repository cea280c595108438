import { jobColumns, toJob, type Job } from './jobs.ts'
import type { Store } from './open-store.ts'

export type FoundReport = {
  readonly job: Job
  readonly blocks: string | null
  /** What has become of the right to it since it was made. */
  readonly isAccountDisabled: boolean
  readonly isCubeAllowed: boolean
}

const columns = jobColumns.map((column) => `jobs.${column}` as const)

/** A job that its account still has, with all that decides whether its report may be downloaded. */
export async function findReport(store: Store, jobId: string): Promise<FoundReport | undefined> {
  const row = await store
    .selectFrom('jobs')
    .innerJoin('accounts', 'accounts.id', 'jobs.account_id')
    .select([...columns, 'jobs.blocks', 'accounts.disabled_at', 'accounts.cubes'])
    .where('jobs.id', '=', jobId)
    .where('jobs.removed_at', 'is', null)
    .executeTakeFirst()
  return (
    row && {
      job: toJob(row),
      blocks: row.blocks,
      isAccountDisabled: row.disabled_at !== null,
      isCubeAllowed: row.cubes.split(',').includes(row.cube),
    }
  )
}
