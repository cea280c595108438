import { asynchronousLimits } from '../catalog/limits.ts'
import { findCube } from '../catalog/cubes.ts'
import { FactsError, type Trouble } from '../facts/errors.ts'
import type { ExportOptions, MadeCsv } from '../facts/facts.ts'
import { dayOf } from '../query/day.ts'
import { parseQuery } from '../query/parse.ts'
import { cubesOf, findAccount } from '../store/accounts.ts'
import { findVisibleLoads } from '../store/loads.ts'
import type { JobNeed } from '../store/tables.ts'
import { isDiskFull, type DiskWatch } from './disk-watch.ts'
import type { JobDeps } from './job.ts'
import type { ClaimedJob } from './job-queue.ts'

type Deps = Pick<JobDeps, 'facts' | 'store' | 'storage'> & { readonly disk: DiskWatch }

export type JobOutcome =
  | { readonly report: MadeCsv & { readonly file: string } }
  /** For good: another attempt would fail in the same way. */
  | { readonly failure: string }
  /** It waits for something that the server lacks, through no fault of its own. */
  | { readonly waitsFor: JobNeed }
  /** Another attempt may succeed. The reason is shown if there is none. */
  | { readonly trouble: string }

const troubles: Record<Trouble, JobOutcome> = {
  away: { trouble: 'The query engine was unavailable. Start the job again.' },
  busy: {
    trouble:
      'The engine had no memory or disk space left for this report. Ask for fewer dimensions or days, or narrow it with filters.',
  },
  damaged: {
    trouble: 'Stored data of some of the days is damaged. Start the job again when your operator has repaired it.',
  },
  timeout: { failure: 'The query timed out. Use fewer days or fields, or add filters.' },
  cancelled: { trouble: 'The job was interrupted. Start it again.' },
}

/** Makes the report of a job, in one attempt. Failures are outcomes; only bugs are thrown. */
export async function runJob(deps: Deps, job: ClaimedJob, options: Omit<ExportOptions, 'id'>): Promise<JobOutcome> {
  const { facts, store, storage, disk } = deps
  const cube = findCube(job.cube)
  if (!cube) return { failure: 'The cube no longer exists.' }
  // Both may have changed since it was accepted.
  const account = await findAccount(store, job.accountId)
  if (account?.disabledAt !== null) return { failure: 'The account is disabled.' }
  if (!cubesOf(account).includes(cube)) return { failure: 'The account can no longer use this cube.' }
  // Checked as of the day on which it was accepted.
  const parsed = parseQuery(JSON.parse(job.body), { cube, limits: asynchronousLimits, today: dayOf(job.createdAt) })
  if ('faults' in parsed) return { failure: 'The query is no longer valid. Start the job again.' }
  if (await disk.isShort()) return { waitsFor: 'disk' }
  // An attempt that brings the engine down counts; one that finds it down does not.
  if (!(await facts.isUp())) return { waitsFor: 'engine' }

  const { query } = parsed
  const { start, end } = query
  const visible = await findVisibleLoads(store, { cube: cube.name, account: account.id, start, end })
  const id = `${job.id}_${job.attempts}`
  const file = `${id}.csv.gz`
  const draft = await storage.draft(file)
  using low = disk.watch()
  const signal = AbortSignal.any([options.signal, low.signal])
  try {
    const made = await facts.writeCsv(query, { account: account.id, visible }, draft.stream, { id, ...options, signal })
    await draft.publish()
    return { report: { file, ...made } }
  } catch (error) {
    await draft.discard()
    if (isDiskFull(error) || low.signal.aborted) {
      disk.noteFull()
      // Logs it.
      await disk.isShort()
      return { waitsFor: 'disk' }
    }
    if (options.signal.aborted) return troubles.cancelled
    if (!(error instanceof FactsError)) throw error
    const outcome = troubles[error.trouble]
    // The space of this attempt is free again. If space is still short, others have taken it.
    return 'trouble' in outcome && (await disk.isShort()) ? { waitsFor: 'disk' } : outcome
  }
}
