import { randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import { addMonths, dayOf } from '../query/day.ts'
import { lockAccounts } from '../store/accounts.ts'
import { recordAudit } from '../store/audit.ts'
import type { Store } from '../store/open-store.ts'
import type { Tables } from '../store/tables.ts'
import { generateKey } from './key-form.ts'
import { digestOf } from './secret-digest.ts'

export const activeKeysMax = 10
const lifetimeMonths = 6

/** All but the two halves of the digest. */
const keyColumns = ['id', 'accountId', 'name', 'lastFour', 'createdAt', 'expiresAt', 'lastUsedAt'] as const

/** An API key as it is shown: enough to recognise it by, never enough to use it. */
export type StoredKey = Pick<Selectable<Tables['apiKeys']>, (typeof keyColumns)[number]>

/** Creates a key. The returned text is its only copy. */
export async function createKey(
  store: Store,
  { accountId, name, actor, now }: { accountId: string; name: string; actor: string; now: number },
): Promise<(StoredKey & { readonly key: string }) | { readonly refusal: 'no_account' | 'too_many_keys' }> {
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
    const entry = { accountId: key.accountId, at: now, actor, subject: describeKey(key) }
    await recordAudit(transaction, { ...entry, action: 'key.deleted' })
    return key
  })
}

/** Lists the keys of an account that are not deleted, newest first, with the expired ones. */
export async function listKeys(store: Store, accountId: string): Promise<readonly StoredKey[]> {
  return store
    .selectFrom('apiKeys')
    .select(keyColumns)
    .where('accountId', '=', accountId)
    .where('deletedAt', 'is', null)
    .orderBy('createdAt', 'desc')
    .orderBy('id')
    .execute()
}

export async function countActiveKeys(store: Store, accountId: string, now: number): Promise<number> {
  const { count } = await store
    .selectFrom('apiKeys')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('accountId', '=', accountId)
    .where('deletedAt', 'is', null)
    .where('expiresAt', '>', now)
    .executeTakeFirstOrThrow()
  return count
}

export const describeKey = ({ name, lastFour }: Pick<StoredKey, 'name' | 'lastFour'>): string =>
  `${name} (…${lastFour})`
