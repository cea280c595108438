import type { Store } from './open-store.ts'

export const auditActions = [
  'account.created',
  'account.changed',
  'account.disabled',
  'account.enabled',
  'key.created',
  'key.deleted',
  'person.created',
  'person.invited',
  'person.joined',
  'person.role_changed',
  'person.password_changed',
  'person.removed',
  'person.signed_in',
] as const

export type AuditAction = (typeof auditActions)[number]

/** Whoever has a shell on the machine. No person can be called so: addresses have an @. */
export const operator = 'operator'

export type AuditEntry = {
  readonly id: number
  readonly at: number
  /** The e-mail address of a person, or `operator` for the command line. */
  readonly actor: string
  readonly action: AuditAction
  /** What it was done to, in words that stay readable when the thing itself is gone. */
  readonly subject: string
}

/** Written in the transaction of the change itself, so that neither stands without the other. */
export async function recordAudit(
  transaction: Store,
  entry: Omit<AuditEntry, 'id'> & { readonly accountId: string },
): Promise<void> {
  const { accountId, at, actor, action, subject } = entry
  await transaction.insertInto('audit').values({ account_id: accountId, at, actor, action, subject }).execute()
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
    .where('account_id', '=', accountId)
    .orderBy('id', 'desc')
    .limit(limit)
  if (actor !== undefined) query = query.where('actor', '=', actor)
  if (action !== undefined) query = query.where('action', '=', action)
  if (since !== undefined) query = query.where('at', '>=', since)
  if (until !== undefined) query = query.where('at', '<', until)
  if (before !== undefined) query = query.where('id', '<', before)
  const rows = await query.execute()
  return rows.map((row) => ({ ...row, action: row.action as AuditAction }))
}
