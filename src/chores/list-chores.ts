import { hostname } from 'node:os'
import type { Logger } from 'pino'
import type { Facts } from '../facts/facts.ts'
import { factsSweep, sweepDrafts, sweepFacts } from '../ingest/sweep-facts.ts'
import { endOverdueJobs } from '../reports/end-overdue-jobs.ts'
import type { ReportStorage } from '../reports/storage.ts'
import { sweepReports } from '../reports/sweep-reports.ts'
import type { Store } from '../store/open-store.ts'
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
  { name: 'forget-old', everyMs: 60 * minuteMs, run: (throwIfOver) => forgetOld(deps, throwIfOver) },
]
