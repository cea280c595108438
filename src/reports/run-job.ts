import { asynchronousLimits } from '../catalog/limits.ts'
import { findCube } from '../catalog/cubes.ts'
import { FactsError, type Trouble } from '../facts/errors.ts'
import type { Facts } from '../facts/facts.ts'
import { dayOf } from '../query/day.ts'
import { parseQuery } from '../query/parse.ts'
import type { JobWithBody } from '../store/jobs.ts'
import { findVisibleLoads } from '../store/loads.ts'
import type { Store } from '../store/open-store.ts'
import { exportReport, type Report } from './export-report.ts'
import type { ReportStorage } from './storage.ts'

type Deps = { readonly facts: Facts; readonly store: Store; readonly storage: ReportStorage }

type Options = {
  readonly msMax: number
  /** With less free than this, a report is not even begun. */
  readonly freeBytesMin: number
  readonly signal: AbortSignal
  readonly onProgress: (progress: number) => void
}

export type JobOutcome =
  | { readonly report: Report }
  /** For good: the same would happen again. */
  | { readonly failure: string }
  /** It could not even be begun, through no fault of its own. */
  | { readonly isPutOff: true }
  /** For now: it may go better next time. The reason is for when there is no next time. */
  | { readonly trouble: string }

const troubles: Record<Trouble, JobOutcome> = {
  away: { trouble: 'The engine was not available. Please start the report again.' },
  busy: {
    trouble:
      'The engine had no memory left for this report. Ask for fewer dimensions or days, or narrow it with filters.',
  },
  timeout: { failure: 'The report took longer than it may. Ask for fewer days or fields, or narrow it with filters.' },
  cancelled: { trouble: 'The report was interrupted. Please start it again.' },
}

/** Makes the report of a job, once. Whatever goes wrong is an outcome; only what is a fault of ours is thrown. */
export async function runJob(deps: Deps, job: JobWithBody, options: Options): Promise<JobOutcome> {
  const { facts, store, storage } = deps
  const cube = findCube(job.cube)
  if (!cube) return { failure: 'The cube of this report does not exist any more.' }
  // It passed these checks on the day it was accepted, so that day is its today.
  const parsed = parseQuery(JSON.parse(job.body), { cube, limits: asynchronousLimits, today: dayOf(job.createdAt) })
  if ('faults' in parsed) return { failure: 'The query is not valid any more. Please start the report again.' }
  if ((await storage.freeBytes()) < options.freeBytesMin) {
    return { failure: 'The server is short of disk space. Please try again later, or tell its operator.' }
  }

  // A report whose attempts bring the engine down must run out of them; one that finds it down has made none.
  if (!(await facts.isUp())) return { isPutOff: true }

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
    if (error instanceof FactsError) return troubles[error.trouble]
    if (isDiskFull(error))
      return { failure: 'The server ran out of disk space. Please try again later, or tell its operator.' }
    if (options.signal.aborted) return troubles.cancelled
    throw error
  }
}

const isDiskFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')
