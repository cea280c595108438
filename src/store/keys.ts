import type { Store } from './open-store.ts'

/** An API key as it is stored: enough to recognise it by, never enough to use it. */
export type StoredKey = {
  readonly id: string
  readonly accountId: string
  readonly name: string
  readonly lastFour: string
  readonly createdAt: number
  readonly expiresAt: number
}

export async function insertKey(store: Store, key: StoredKey & { readonly hash: string }): Promise<void> {
  await store
    .insertInto('api_keys')
    .values({
      id: key.id,
      account_id: key.accountId,
      name: key.name,
      hash: key.hash,
      last_four: key.lastFour,
      created_at: key.createdAt,
      expires_at: key.expiresAt,
      deleted_at: null,
    })
    .execute()
}

export async function findKeyByHash(store: Store, hash: string): Promise<StoredKey | undefined> {
  const row = await store
    .selectFrom('api_keys')
    .select(['id', 'account_id', 'name', 'last_four', 'created_at', 'expires_at'])
    .where('hash', '=', hash)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return (
    row && {
      id: row.id,
      accountId: row.account_id,
      name: row.name,
      lastFour: row.last_four,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
    }
  )
}

export async function countKeys(store: Store, accountId: string): Promise<number> {
  const { count } = await store
    .selectFrom('api_keys')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  return count
}
