import type { Store } from './open-store.ts'

export type AuditAction =
  | 'account.created'
  | 'account.changed'
  | 'account.disabled'
  | 'account.enabled'
  | 'key.created'
  | 'key.deleted'
  | 'person.created'
  | 'person.invited'
  | 'person.joined'
  | 'person.role_changed'
  | 'person.password_changed'
  | 'person.removed'
  | 'person.signed_in'

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

/** Newest first, at most `limit`, only those older than the entry `before`. */
export async function listAudit(
  store: Store,
  {
    accountId,
    before,
    limit,
  }: { readonly accountId: string; readonly before?: number | undefined; readonly limit: number },
): Promise<readonly AuditEntry[]> {
  let query = store
    .selectFrom('audit')
    .select(['id', 'at', 'actor', 'action', 'subject'])
    .where('account_id', '=', accountId)
    .orderBy('id', 'desc')
    .limit(limit)
  if (before !== undefined) query = query.where('id', '<', before)
  const rows = await query.execute()
  return rows.map((row) => ({ ...row, action: row.action as AuditAction }))
}
