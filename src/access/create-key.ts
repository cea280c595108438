import { randomUUID } from 'node:crypto'
import { addMonths, dayOf } from '../query/day.ts'
import { lockAccounts } from '../store/accounts.ts'
import { recordAudit } from '../store/audit.ts'
import type { Store } from '../store/open-store.ts'
import { generateKey } from './key-form.ts'
import { countActiveKeys, describeKey, type StoredKey } from './keys.ts'
import { digestOf } from './secret-digest.ts'

export const activeKeysMax = 10
const lifetimeMonths = 6

export type CreatedKey = StoredKey & { readonly key: string }

/** Creates a key. The returned text is its only copy. */
export async function createKey(
  store: Store,
  { accountId, name, actor, now }: { accountId: string; name: string; actor: string; now: number },
): Promise<CreatedKey | { readonly refusal: 'no_account' | 'too_many_keys' }> {
  const key = generateKey()
  const stored: StoredKey = {
    id: `key_${randomUUID().replaceAll('-', '')}`,
    accountId,
    name,
    lastFour: key.slice(-4),
    createdAt: now,
    expiresAt: expiryOf(now),
    lastUsedAt: null,
  }
  return store.transaction().execute(async (transaction) => {
    // Requests for the same account wait here, so that two cannot both find room for the tenth key.
    if (!(await lockAccounts(transaction, [accountId]))) return { refusal: 'no_account' }
    if ((await countActiveKeys(transaction, accountId, now)) >= activeKeysMax) return { refusal: 'too_many_keys' }
    await transaction
      .insertInto('apiKeys')
      .values({ ...stored, ...digestOf(key) })
      .execute()
    await recordAudit(transaction, { accountId, at: now, actor, action: 'key.created', subject: describeKey(stored) })
    return { ...stored, key }
  })
}

/** Six calendar months later, at the same time of day. */
function expiryOf(now: number): number {
  const timeOfDay = now - Date.parse(dayOf(now))
  return Date.parse(addMonths(dayOf(now), lifetimeMonths)) + timeOfDay
}
