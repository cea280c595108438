import { hostname } from 'node:os'
import type { Logger } from 'pino'
import type { Facts } from '../facts/facts.ts'
import { retireOldDays } from '../ingest/retire-old.ts'
import { factsSweep, sweepDrafts, sweepFacts } from '../ingest/sweep-facts.ts'
import { deleteExpiredJobs } from '../reports/delete-expired-jobs.ts'
import { endOverdueJobs } from '../reports/end-overdue-jobs.ts'
import type { ReportStorage } from '../reports/storage.ts'
import { sweepReports } from '../reports/sweep-reports.ts'
import { mayDeleteByAge } from '../store/deletion-hold.ts'
import type { Store } from '../store/open-store.ts'
import { checkFiles } from './check-files.ts'
import { forgetOld } from './forget-old.ts'
import type { Chore } from './run-chores.ts'

type Deps = {
  readonly facts: Facts
  readonly store: Store
  readonly storage: ReportStorage
  readonly draftsFolder: string
  readonly log: Logger
  readonly now: () => number
  /** How long finished jobs and their reports are kept. */
  readonly keepMs: number
}

const minuteMs = 60_000

/** Lists the chores of servers and workers. */
export const listChores = (deps: Deps): readonly Chore[] => [
  { name: 'end-overdue-jobs', everyMs: minuteMs, run: (throwIfOver) => endOverdueJobs(deps, throwIfOver) },
  { name: 'sweep-reports', everyMs: minuteMs, run: (throwIfOver) => sweepReports(deps, throwIfOver) },
  { name: factsSweep, everyMs: minuteMs, run: (throwIfOver) => sweepFacts(deps, throwIfOver) },
  {
    name: 'sweep-drafts',
    // Each machine has its own folder of drafts.
    lease: `sweep-drafts ${hostname()}:${deps.draftsFolder}`,
    everyMs: minuteMs,
    run: (throwIfOver) => sweepDrafts(deps, throwIfOver),
  },
  { name: 'delete-expired-jobs', everyMs: minuteMs, run: byAge(deps, deleteExpiredJobs) },
  { name: 'retire-old', everyMs: 60 * minuteMs, run: byAge(deps, retireOldDays) },
  { name: 'check-files', everyMs: minuteMs, run: (throwIfOver) => checkFiles(deps, throwIfOver) },
  { name: 'forget-old', everyMs: 60 * minuteMs, run: byAge(deps, forgetOld) },
]

/** Deletes by age as of one time, and only if that time can be believed. */
const byAge =
  (deps: Deps, run: (deps: Deps, throwIfOver: () => void) => Promise<void>): Chore['run'] =>
  async (throwIfOver) => {
    const at = deps.now()
    if (await mayDeleteByAge(deps, at)) await run({ ...deps, now: () => at }, throwIfOver)
  }
