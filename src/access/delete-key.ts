import { recordAudit } from '../store/audit.ts'
import type { Store } from '../store/open-store.ts'
import { describeKey, keyColumns, type StoredKey } from './keys.ts'

/** Deletes a key; returns undefined for an unknown id or another account's key. The operator gives no account. */
export async function deleteKey(
  store: Store,
  { id, accountId, actor, now }: { id: string; accountId?: string; actor: string; now: number },
): Promise<StoredKey | undefined> {
  return store.transaction().execute(async (transaction) => {
    const key = await transaction
      .updateTable('apiKeys')
      .set({ deletedAt: now })
      .where('id', '=', id)
      .$if(accountId !== undefined, (keys) => keys.where('accountId', '=', accountId ?? ''))
      .where('deletedAt', 'is', null)
      .returning(keyColumns)
      .executeTakeFirst()
    if (!key) return undefined
    const { accountId: owner } = key
    const subject = describeKey(key)
    await recordAudit(transaction, { accountId: owner, at: now, actor, action: 'key.deleted', subject })
    return key
  })
}
