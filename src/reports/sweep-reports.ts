import { chunksOf } from '../store/chunks-of.ts'
import type { Store } from '../store/open-store.ts'
import type { JobDeps } from './job.ts'

type Deps = Pick<JobDeps, 'store' | 'storage'>

/** Few enough for one statement. */
const jobsAtOnce = 400

/** Removes files that belong to no job. */
export async function sweepReports({ store, storage }: Deps, throwIfOver: () => void = () => {}): Promise<void> {
  // Files are listed before the jobs are read: a file of this list is named by its job by now, or is being written.
  const files = await storage.list()
  const drafts = await storage.listDrafts()
  for (const some of chunksOf(files, jobsAtOnce)) {
    throwIfOver()
    const jobs = await findFiles(store, some)
    for (const name of some) {
      const { jobId, attempt } = attemptOf(name)
      const job = jobs.get(jobId)
      if (job?.file !== name && job?.heldAttempt !== attempt) await storage.remove(name)
    }
  }
  for (const some of chunksOf(drafts, jobsAtOnce)) {
    throwIfOver()
    const jobs = await findFiles(store, some)
    for (const name of some) {
      const { jobId, attempt } = attemptOf(name)
      if (jobs.get(jobId)?.heldAttempt !== attempt) await storage.removeDraft(name)
    }
  }
}

/** Reads from the name of a file the job and the attempt that made it. */
export function attemptOf(file: string): { readonly jobId: string; readonly attempt: number } {
  const [, jobId = file, attempt] = /^(.*)_(\d+)\.csv\.gz$/.exec(file) ?? []
  return { jobId, attempt: Number(attempt) }
}

/** Finds the jobs of files: for each the report that it names, and the attempt that a worker holds. */
async function findFiles(store: Store, files: readonly string[]) {
  const rows = await store
    .selectFrom('jobs')
    .select(['id', 'file', 'state', 'attempts', 'leaseUntil'])
    .where('id', 'in', [...new Set(files.map((file) => attemptOf(file).jobId))])
    .execute()
  // A lease that has run out counts: until another worker takes the job, its holder may still finish it.
  return new Map(
    rows.map(({ id, file, state, attempts, leaseUntil }) => [
      id,
      { file, heldAttempt: state === 'PROCESSING' && leaseUntil !== null ? attempts : undefined },
    ]),
  )
}
