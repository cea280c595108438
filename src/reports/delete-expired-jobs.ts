import type { JobDeps } from './job.ts'

type Deps = Pick<JobDeps, 'store' | 'storage' | 'now'>

/** Few enough for a statement that takes milliseconds. */
const jobsAtOnce = 400

/** Deletes jobs and reports that have been kept long enough. */
export async function deleteExpiredJobs(
  { store, storage, now }: Deps,
  throwIfOver: () => void = () => {},
): Promise<void> {
  for (;;) {
    throwIfOver()
    const expired = await store
      .selectFrom('jobs')
      .select(['id', 'file'])
      .where('expiresAt', '<=', now())
      .orderBy('expiresAt')
      .limit(jobsAtOnce)
      .execute()
    for (const { id, file } of expired) {
      if (file !== null) await storage.remove(file)
      await store.deleteFrom('jobs').where('id', '=', id).execute()
    }
    if (expired.length === 0) return
  }
}
