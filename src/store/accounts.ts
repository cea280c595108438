import { LRUCache } from 'lru-cache'
import type { Insertable, Selectable } from 'kysely'
import type { Cube } from '../catalog/cube.ts'
import { cubes as allCubes, findCube } from '../catalog/cubes.ts'
import type { Store } from './open-store.ts'
import type { Tables } from './tables.ts'

export type Account = Selectable<Tables['accounts']>

/** Lists are remembered by their text, because every request asks for one. */
const cubeLists = new LRUCache<string, readonly Cube[]>({ max: 100 })

/** Reads the list of cubes that an account may use. */
export function cubesOf({ cubes }: Pick<Account, 'cubes'>): readonly Cube[] {
  const list = cubeLists.get(cubes) ?? cubes.split(',').flatMap((name) => findCube(name) ?? [])
  cubeLists.set(cubes, list)
  return list
}

/** Inserts an account, with all cubes unless some are given. False if the id is taken. */
export async function insertAccount(
  store: Store,
  {
    cubes = allCubes,
    ...account
  }: Pick<Account, 'id' | 'name' | 'createdAt'> & { readonly cubes?: readonly Cube[]; readonly rateFactor?: number },
): Promise<boolean> {
  const row: Insertable<Tables['accounts']> = { rateFactor: 1, ...account, cubes: joinCubes(cubes) }
  const { numInsertedOrUpdatedRows } = await store
    .insertInto('accounts')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

export async function findAccount(store: Store, id: string): Promise<Account | undefined> {
  return store.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function listAccounts(store: Store): Promise<readonly Account[]> {
  return store.selectFrom('accounts').selectAll().orderBy('createdAt').orderBy('id').execute()
}

export type AccountChange = Partial<Pick<Account, 'name' | 'rateFactor' | 'disabledAt'>> & {
  readonly cubes?: readonly Cube[]
}

export async function updateAccount(store: Store, id: string, { cubes, ...change }: AccountChange): Promise<void> {
  await store
    .updateTable('accounts')
    .set({ ...change, ...(cubes && { cubes: joinCubes(cubes) }) })
    .where('id', '=', id)
    .execute()
}

/**
 * Locks the rows of accounts until the transaction ends. False if one does not exist. A write that changes nothing, because
 * it locks a row in both databases, and SQLite has no FOR UPDATE.
 */
export async function lockAccounts(transaction: Store, ids: readonly string[]): Promise<boolean> {
  let locked = 0n
  // In the same order everywhere, so that two transactions cannot deadlock.
  for (const id of ids.toSorted()) {
    const { numUpdatedRows } = await transaction
      .updateTable('accounts')
      .set((sql) => ({ id: sql.ref('id') }))
      .where('id', '=', id)
      .executeTakeFirst()
    locked += numUpdatedRows
  }
  return locked === BigInt(ids.length)
}

export async function countAccounts(store: Store): Promise<number> {
  const { count } = await store
    .selectFrom('accounts')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

const joinCubes = (allowed: readonly Cube[]): string => allowed.map(({ name }) => name).join(',')
