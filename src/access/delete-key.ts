import { recordAudit } from '../store/audit.ts'
import { findKeyById, markKeyDeleted, type StoredKey } from '../store/keys.ts'
import type { Store } from '../store/open-store.ts'
import type { Actor } from './actor.ts'
import { describeKey } from './describe-key.ts'

/** Deletes a key; undefined where there is none with this id, or it is another account's. The operator names no account. */
export async function deleteKey(
  store: Store,
  { id, accountId, actor, now }: { id: string; accountId?: string; actor: Actor; now: number },
): Promise<StoredKey | undefined> {
  return store.transaction().execute(async (transaction) => {
    const key = await findKeyById(transaction, id)
    if (!key || (accountId !== undefined && key.accountId !== accountId)) return undefined
    if (!(await markKeyDeleted(transaction, id, now))) return undefined
    await recordAudit(transaction, {
      accountId: key.accountId,
      at: now,
      actor,
      action: 'key.deleted',
      subject: describeKey(key),
    })
    return key
  })
}
