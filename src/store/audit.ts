import type { AuditAction } from '../contract/console.ts'
import type { Insertable, Selectable } from 'kysely'
import type { Store } from './open-store.ts'
import type { Tables } from './tables.ts'

/** Whoever has a shell on the machine. No person can be called so: addresses have an @. */
export const operator = 'operator'

export type AuditEntry = Omit<Selectable<Tables['audit']>, 'accountId'>

/** Written in the transaction of the change itself, so that neither stands without the other. */
export async function recordAudit(transaction: Store, entry: Insertable<Tables['audit']>): Promise<void> {
  await transaction.insertInto('audit').values(entry).execute()
}

type WantedEntries = {
  readonly accountId: string
  readonly actor?: string | undefined
  readonly action?: AuditAction | undefined
  /** When they happened: not before `since`, and before `until`. */
  readonly since?: number | undefined
  readonly until?: number | undefined
  readonly before?: number | undefined
  readonly limit: number
}

/** Newest first, at most `limit`, only those older than the entry `before`. */
export async function listAudit(store: Store, wanted: WantedEntries): Promise<readonly AuditEntry[]> {
  const { accountId, actor, action, since, until, before, limit } = wanted
  let query = store
    .selectFrom('audit')
    .select(['id', 'at', 'actor', 'action', 'subject'])
    .where('accountId', '=', accountId)
    .orderBy('id', 'desc')
    .limit(limit)
  if (actor !== undefined) query = query.where('actor', '=', actor)
  if (action !== undefined) query = query.where('action', '=', action)
  if (since !== undefined) query = query.where('at', '>=', since)
  if (until !== undefined) query = query.where('at', '<', until)
  if (before !== undefined) query = query.where('id', '<', before)
  return query.execute()
}
