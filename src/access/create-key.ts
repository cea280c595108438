import { randomUUID } from 'node:crypto'
import { addMonths, dayOf } from '../query/day.ts'
import { lockAccounts } from '../store/accounts.ts'
import { recordAudit } from '../store/audit.ts'
import { countActiveKeys, insertKey, type StoredKey } from '../store/keys.ts'
import type { Store } from '../store/open-store.ts'
import type { Actor } from './actor.ts'
import { describeKey } from './describe-key.ts'
import { generateKey } from './key-form.ts'
import { digestOf } from './secret-digest.ts'

export const activeKeysMax = 10
const lifetimeMonths = 6

export type CreatedKey = StoredKey & { readonly key: string }

/** Makes a key. The text in the answer is the only copy there will ever be. */
export async function createKey(
  store: Store,
  { accountId, name, actor, now }: { accountId: string; name: string; actor: Actor; now: number },
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
    // Whoever else makes a key for the account waits here, so that two cannot both find the last free place.
    if (!(await lockAccounts(transaction, [accountId]))) return { refusal: 'no_account' }
    if ((await countActiveKeys(transaction, accountId, now)) >= activeKeysMax) return { refusal: 'too_many_keys' }
    await insertKey(transaction, { ...stored, ...digestOf(key) })
    await recordAudit(transaction, { accountId, at: now, actor, action: 'key.created', subject: describeKey(stored) })
    return { ...stored, key }
  })
}

/** Six calendar months later, at the same time of day. */
function expiryOf(now: number): number {
  const timeOfDay = now - Date.parse(dayOf(now))
  return Date.parse(addMonths(dayOf(now), lifetimeMonths)) + timeOfDay
}
