import type { Selectable } from 'kysely'
import type { AuditAction } from '../contract/console.ts'
import type { Store } from '../store/open-store.ts'
import type { Tables } from '../store/tables.ts'

export type AuditEntry = Omit<Selectable<Tables['audit']>, 'accountId'>

type Wanted = {
  readonly accountId: string
  readonly actor?: string | undefined
  readonly action?: AuditAction | undefined
  /** From `since` on, and before `until`. */
  readonly since?: number | undefined
  readonly until?: number | undefined
  readonly before?: number | undefined
  readonly limit: number
}

/** Lists the audit trail of an account, newest first: at most `limit` entries, only those older than the entry `before`. */
export async function listAudit(store: Store, wanted: Wanted): Promise<readonly AuditEntry[]> {
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
