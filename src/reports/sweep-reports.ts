import { deleteJob, isClaimed, listExpiredJobs } from '../store/job-queue.ts'
import { findJob } from '../store/jobs.ts'
import type { Store } from '../store/open-store.ts'
import type { ReportStorage } from './storage.ts'

type Deps = { readonly store: Store; readonly storage: ReportStorage; readonly now: () => number }

/** Files are named after the job and the attempt that made them. */
const jobIdOf = (file: string): string => file.replace(/_\d+\.csv\.gz$/, '')

/** Removes jobs and reports that have been kept long enough, and files that no job knows of. */
export async function sweepReports({ store, storage, now }: Deps): Promise<void> {
  for (const job of await listExpiredJobs(store, now())) {
    if (job.file !== null) await storage.remove(job.file)
    await deleteJob(store, job.id)
  }
  for (const file of await storage.list()) {
    // One that is being worked on may be about to name it. Asked first: a job that is done in between names it after.
    if (await isClaimed(store, jobIdOf(file), now())) continue
    const job = await findJob(store, jobIdOf(file))
    if (job?.file !== file) await storage.remove(file)
  }
  await storage.sweepDrafts(async (file) => !(await isClaimed(store, jobIdOf(file), now())))
}
