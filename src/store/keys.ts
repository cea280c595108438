import { bumpRevision } from './access-revision.ts'
import { toAccount, type Account } from './accounts.ts'
import type { Digest } from './digest.ts'
import type { Store } from './open-store.ts'
import type { Tables } from './tables.ts'

/** An API key as it is stored: enough to recognise it by, never enough to use it. */
export type StoredKey = {
  readonly id: string
  readonly accountId: string
  readonly name: string
  readonly lastFour: string
  readonly createdAt: number
  readonly expiresAt: number
  readonly lastUsedAt: number | null
}

const columns = ['id', 'account_id', 'name', 'last_four', 'created_at', 'expires_at', 'last_used_at'] as const

export async function insertKey(store: Store, key: StoredKey & Digest): Promise<void> {
  await store
    .insertInto('api_keys')
    .values({
      id: key.id,
      account_id: key.accountId,
      name: key.name,
      selector: key.selector,
      verifier: key.verifier,
      last_four: key.lastFour,
      created_at: key.createdAt,
      expires_at: key.expiresAt,
      last_used_at: key.lastUsedAt,
      deleted_at: null,
    })
    .execute()
}

export type KnownKey = {
  readonly id: string
  readonly verifier: string
  readonly expiresAt: number
  readonly account: Account
}

/** The key with this half of a digest, and whose it is. The caller compares the other half. */
export async function findKey(store: Store, selector: string): Promise<KnownKey | undefined> {
  const row = await store
    .selectFrom('api_keys')
    .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
    .selectAll('accounts')
    .select(['api_keys.id as key_id', 'api_keys.verifier', 'api_keys.expires_at'])
    .where('selector', '=', selector)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return row && { id: row.key_id, verifier: row.verifier, expiresAt: row.expires_at, account: toAccount(row) }
}

/** The keys of an account that are not deleted, newest first; expired ones are among them. */
export async function listKeys(store: Store, accountId: string): Promise<readonly StoredKey[]> {
  const rows = await store
    .selectFrom('api_keys')
    .select(columns)
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute()
  return rows.map(toKey)
}

export async function findKeyById(store: Store, id: string): Promise<StoredKey | undefined> {
  const row = await store
    .selectFrom('api_keys')
    .select(columns)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return row && toKey(row)
}

export async function countActiveKeys(store: Store, accountId: string, now: number): Promise<number> {
  const { count } = await store
    .selectFrom('api_keys')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow()
  return count
}

/** False where it was deleted already. */
export async function markKeyDeleted(store: Store, id: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await store
    .updateTable('api_keys')
    .set({ deleted_at: now })
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  await bumpRevision(store)
  return numUpdatedRows === 1n
}

/** Notes when keys were last used. Nodes may report late and out of order: the latest time stays. */
export async function markKeysUsed(store: Store, times: ReadonlyMap<string, number>): Promise<void> {
  await store.transaction().execute(async (transaction) => {
    // In one order, so that no two nodes wait for each other.
    for (const [id, usedAt] of [...times].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      await transaction
        .updateTable('api_keys')
        .set({ last_used_at: usedAt })
        .where('id', '=', id)
        .where((sql) => sql.or([sql('last_used_at', 'is', null), sql('last_used_at', '<', usedAt)]))
        .execute()
    }
  })
}

type KeyRow = Pick<Tables['api_keys'], (typeof columns)[number]>

const toKey = (row: KeyRow): StoredKey => ({
  id: row.id,
  accountId: row.account_id,
  name: row.name,
  lastFour: row.last_four,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  lastUsedAt: row.last_used_at,
})
