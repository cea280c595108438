import type { Insertable, Selectable } from 'kysely'
import type { Store } from './open-store.ts'
import type { Tables } from './tables.ts'

const keyColumns = ['id', 'accountId', 'name', 'lastFour', 'createdAt', 'expiresAt', 'lastUsedAt'] as const

/** An API key as it is shown: enough to recognise it by, never enough to use it. */
export type StoredKey = Pick<Selectable<Tables['apiKeys']>, (typeof keyColumns)[number]>

export async function insertKey(store: Store, key: Insertable<Tables['apiKeys']>): Promise<void> {
  await store.insertInto('apiKeys').values(key).execute()
}

/** The keys of an account that are not deleted, newest first; expired ones are among them. */
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

export async function findKeyById(store: Store, id: string): Promise<StoredKey | undefined> {
  return store
    .selectFrom('apiKeys')
    .select(keyColumns)
    .where('id', '=', id)
    .where('deletedAt', 'is', null)
    .executeTakeFirst()
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

/** False where it was deleted already. */
export async function markKeyDeleted(store: Store, id: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await store
    .updateTable('apiKeys')
    .set({ deletedAt: now })
    .where('id', '=', id)
    .where('deletedAt', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Notes when keys were last used. Nodes may report late and out of order: the latest time stays. */
export async function markKeysUsed(store: Store, times: ReadonlyMap<string, number>): Promise<void> {
  await store.transaction().execute(async (transaction) => {
    // In one order, so that no two nodes wait for each other.
    for (const [id, usedAt] of [...times].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      await transaction
        .updateTable('apiKeys')
        .set({ lastUsedAt: usedAt })
        .where('id', '=', id)
        .where((sql) => sql.or([sql('lastUsedAt', 'is', null), sql('lastUsedAt', '<', usedAt)]))
        .execute()
    }
  })
}
