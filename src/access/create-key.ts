import { randomUUID } from 'node:crypto'
import { addMonths, dayOf } from '../query/day.ts'
import { insertKey, type StoredKey } from '../store/keys.ts'
import type { Store } from '../store/open-store.ts'
import { generateKey, hashKey } from './key-form.ts'

const lifetimeMonths = 6

/** Makes a key. The text in the answer is the only copy there will ever be. */
export async function createKey(
  store: Store,
  { accountId, name, now }: { accountId: string; name: string; now: number },
): Promise<StoredKey & { readonly key: string }> {
  const key = generateKey()
  const stored: StoredKey = {
    id: `key_${randomUUID().replaceAll('-', '')}`,
    accountId,
    name,
    lastFour: key.slice(-4),
    createdAt: now,
    expiresAt: expiryOf(now),
  }
  await insertKey(store, { ...stored, hash: hashKey(key) })
  return { ...stored, key }
}

/** Six calendar months later, at the same time of day to the second. */
function expiryOf(now: number): number {
  const timeOfDay = now - Date.parse(dayOf(now))
  return Date.parse(addMonths(dayOf(now), lifetimeMonths)) + timeOfDay
}
