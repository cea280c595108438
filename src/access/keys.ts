import type { Selectable } from 'kysely'
import type { Store } from '../store/open-store.ts'
import type { Tables } from '../store/tables.ts'

/** All but the two halves of the digest. */
export const keyColumns = ['id', 'accountId', 'name', 'lastFour', 'createdAt', 'expiresAt', 'lastUsedAt'] as const

/** An API key as it is shown: enough to recognise it by, never enough to use it. */
export type StoredKey = Pick<Selectable<Tables['apiKeys']>, (typeof keyColumns)[number]>

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
