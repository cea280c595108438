import type { Selectable } from 'kysely'
import type { Store } from '../store/open-store.ts'
import type { Tables } from '../store/tables.ts'

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
