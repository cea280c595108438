import type { Selectable } from 'kysely'
import type { Logger } from 'pino'
import type { Facts } from '../facts/facts.ts'
import type { Store } from '../store/open-store.ts'
import type { Tables } from '../store/tables.ts'
import type { ReportStorage } from './storage.ts'

/** The parts of the service that make and keep reports. */
export type JobDeps = {
  readonly facts: Facts
  readonly store: Store
  readonly storage: ReportStorage
  readonly log: Logger
  readonly now: () => number
  /** How long a finished job and its report are kept. */
  readonly keepMs: number
}

/** All columns but those that may be large (the query, the report's blocks) and those that only the queue reads. */
export const jobColumns = [
  'id',
  'accountId',
  'cube',
  'startDay',
  'endDay',
  'state',
  'createdAt',
  'deadlineAt',
  'attempts',
  'excused',
  'startedAt',
  'finishedAt',
  'progress',
  'file',
  'rows',
  'bytes',
  'checksum',
  'failureReason',
  'expiresAt',
] as const

export type Job = Pick<Selectable<Tables['jobs']>, (typeof jobColumns)[number]>

/** A job of any account, unless the account has removed it. */
export const findJob = (store: Store, id: string): Promise<Job | undefined> =>
  store.selectFrom('jobs').select(jobColumns).where('id', '=', id).where('removedAt', 'is', null).executeTakeFirst()
