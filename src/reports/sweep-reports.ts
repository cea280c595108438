import { deleteJob, listExpiredJobs, listJobFiles } from '../store/job-queue.ts'
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
  const files = await storage.list()
  const drafts = await storage.listDrafts()
  // After the files: whatever has one by now is being worked on, or names it.
  const jobs = await listJobFiles(store, now())
  for (const file of files) {
    const job = jobs.get(jobIdOf(file))
    if (!job?.isClaimed && job?.file !== file) await storage.remove(file)
  }
  for (const draft of drafts) if (!jobs.get(jobIdOf(draft))?.isClaimed) await storage.removeDraft(draft)
}
