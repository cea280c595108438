import { cubesOf } from '../store/accounts.ts'
import type { Store } from '../store/open-store.ts'
import { jobColumns, type Job } from './job.ts'

type FoundReport = {
  readonly job: Job
  readonly blocks: string | null
  /** Rights that may have changed since the report was made. */
  readonly isAccountDisabled: boolean
  readonly isCubeAllowed: boolean
}

const columns = jobColumns.map((column) => `jobs.${column}` as const)

/** Finds a job with all that decides whether its report may be downloaded. */
export async function findReport(store: Store, jobId: string): Promise<FoundReport | undefined> {
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
