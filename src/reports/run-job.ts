import { asynchronousLimits } from '../catalog/limits.ts'
import { findCube } from '../catalog/cubes.ts'
import { FactsError, type Trouble } from '../facts/errors.ts'
import type { Facts } from '../facts/facts.ts'
import { dayOf } from '../query/day.ts'
import { parseQuery } from '../query/parse.ts'
import { cubesOf, findAccount } from '../store/accounts.ts'
import type { JobWithBody } from '../store/jobs.ts'
import { findVisibleLoads } from '../store/loads.ts'
import type { Store } from '../store/open-store.ts'
import type { JobNeed } from '../store/tables.ts'
import { isDiskFull, type DiskWatch } from './disk-watch.ts'
import { exportReport, type Report } from './export-report.ts'
import type { ReportStorage } from './storage.ts'

type Deps = {
  readonly facts: Facts
  readonly store: Store
  readonly storage: ReportStorage
  readonly disk: DiskWatch
}

type Options = {
  readonly msMax: number
  readonly signal: AbortSignal
  readonly onProgress: (progress: number) => void
}

export type JobOutcome =
  | { readonly report: Report }
  /** For good: the same would happen again. */
  | { readonly failure: string }
  /** It has to wait for something that the server lacks, through no fault of its own. */
  | { readonly waitsFor: JobNeed }
  /** For now: it may go better next time. The reason is for when there is no next time. */
  | { readonly trouble: string }

const troubles: Record<Trouble, JobOutcome> = {
  away: { trouble: 'The query engine was unavailable. Start the job again.' },
  busy: {
    trouble:
      'The engine had no memory left for this report. Ask for fewer dimensions or days, or narrow it with filters.',
  },
  timeout: { failure: 'The query timed out. Use fewer days or fields, or add filters.' },
  cancelled: { trouble: 'The job was interrupted. Start it again.' },
}

/** Makes the report of a job, once. Whatever goes wrong is an outcome; only what is a fault of ours is thrown. */
export async function runJob(deps: Deps, job: JobWithBody, options: Options): Promise<JobOutcome> {
  const { facts, store, disk } = deps
  const cube = findCube(job.cube)
  if (!cube) return { failure: 'The cube no longer exists.' }
  // Both may have changed since it was accepted.
  const account = await findAccount(store, job.accountId)
  if (account?.disabledAt !== null) return { failure: 'The account is disabled.' }
  if (!cubesOf(account).includes(cube)) return { failure: 'The account can no longer use this cube.' }
  // It passed these checks on the day it was accepted, so that day is its today.
  const parsed = parseQuery(JSON.parse(job.body), { cube, limits: asynchronousLimits, today: dayOf(job.createdAt) })
  if ('faults' in parsed) return { failure: 'The query is no longer valid. Start the job again.' }
  if (await disk.isShort()) return { waitsFor: 'disk' }
  // A report whose attempts bring the engine down must run out of them; one that finds it down has made none.
  if (!(await facts.isUp())) return { waitsFor: 'engine' }

  const { query } = parsed
  const visible = await findVisibleLoads(store, {
    cube: cube.name,
    account: job.accountId,
    start: query.start,
    end: query.end,
  })
  const id = `${job.id}_${job.attempts}`
  try {
    const { msMax, signal, onProgress } = options
    const scope = { account: job.accountId, visible }
    const report = await exportReport(deps, query, scope, { file: `${id}.csv.gz`, id, msMax, signal, onProgress })
    return { report }
  } catch (error) {
    if (isDiskFull(error)) {
      disk.noteFull()
      // Looked at now, so that the operator is told now.
      await disk.isShort()
      return { waitsFor: 'disk' }
    }
    if (options.signal.aborted) return troubles.cancelled
    if (!(error instanceof FactsError)) throw error
    const outcome = troubles[error.trouble]
    // What this attempt took is free again by now. Where space is short all the same, others have taken it.
    return 'trouble' in outcome && (await disk.isShort()) ? { waitsFor: 'disk' } : outcome
  }
}
