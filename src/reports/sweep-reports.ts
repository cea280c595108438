import type { Store } from '../store/open-store.ts'
import { deleteJob, findJobFiles, listExpiredJobs } from '../store/stale-jobs.ts'
import type { ReportStorage } from './storage.ts'

type Deps = { readonly store: Store; readonly storage: ReportStorage; readonly now: () => number }

const filesAtOnce = 400

/** Removes jobs and reports that have been kept long enough, and files that no job knows of. */
export async function sweepReports({ store, storage, now }: Deps, throwIfOver: () => void = () => {}): Promise<void> {
  for (;;) {
    throwIfOver()
    const expired = await listExpiredJobs(store, now())
    for (const job of expired) {
      if (job.file !== null) await storage.remove(job.file)
      await deleteJob(store, job.id)
    }
    if (expired.length === 0) break
  }
  // Both before the jobs are asked about: whatever has a file by now is being worked on, or names it.
  const files = await storage.list()
  const drafts = await storage.listDrafts()
  for (const some of chunksOf(files)) {
    throwIfOver()
    const jobs = await findJobFiles(store, jobsOf(some))
    for (const name of some) {
      const { jobId, attempt } = attemptOf(name)
      const job = jobs.get(jobId)
      if (job?.file !== name && job?.heldAttempt !== attempt) await storage.remove(name)
    }
  }
  for (const some of chunksOf(drafts)) {
    throwIfOver()
    const jobs = await findJobFiles(store, jobsOf(some))
    for (const name of some) {
      const { jobId, attempt } = attemptOf(name)
      if (jobs.get(jobId)?.heldAttempt !== attempt) await storage.removeDraft(name)
    }
  }
}

/** Files are named after the job and the attempt that made them. */
export function attemptOf(file: string): { readonly jobId: string; readonly attempt: number } {
  const [, jobId = file, attempt] = /^(.*)_(\d+)\.csv\.gz$/.exec(file) ?? []
  return { jobId, attempt: Number(attempt) }
}

const jobsOf = (files: readonly string[]): string[] => [...new Set(files.map((file) => attemptOf(file).jobId))]

const chunksOf = <Item>(items: readonly Item[]): Item[][] =>
  Array.from({ length: Math.ceil(items.length / filesAtOnce) }, (_, index) =>
    items.slice(index * filesAtOnce, (index + 1) * filesAtOnce),
  )
