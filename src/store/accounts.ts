import type { Selectable } from 'kysely'
import type { Cube } from '../catalog/cube.ts'
import { cubes, findCube } from '../catalog/cubes.ts'
import { bumpRevision } from './access-revision.ts'
import type { Store } from './open-store.ts'
import type { Tables } from './tables.ts'

export type Account = {
  readonly id: string
  readonly name: string
  readonly cubes: readonly Cube[]
  /** Its rate limits are the ordinary ones times this. */
  readonly rateFactor: number
  readonly createdAt: number
  /** Since when nobody gets in, neither with a key nor with a password. */
  readonly disabledAt: number | null
}

/** Makes an account that may use every cube unless told otherwise; false where the id is taken. */
export async function insertAccount(
  store: Store,
  account: Pick<Account, 'id' | 'name' | 'createdAt'> & Partial<Pick<Account, 'cubes' | 'rateFactor'>>,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await store
    .insertInto('accounts')
    .values({
      id: account.id,
      name: account.name,
      cubes: joinCubes(account.cubes ?? cubes),
      rate_factor: account.rateFactor ?? 1,
      created_at: account.createdAt,
      disabled_at: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

export async function findAccount(store: Store, id: string): Promise<Account | undefined> {
  const row = await store.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toAccount(row)
}

export async function listAccounts(store: Store): Promise<readonly Account[]> {
  const rows = await store.selectFrom('accounts').selectAll().orderBy('created_at').orderBy('id').execute()
  return rows.map(toAccount)
}

export async function updateAccount(
  store: Store,
  id: string,
  change: Partial<Pick<Account, 'name' | 'cubes' | 'rateFactor' | 'disabledAt'>>,
): Promise<void> {
  await store
    .updateTable('accounts')
    .set({
      ...(change.name !== undefined && { name: change.name }),
      ...(change.cubes !== undefined && { cubes: joinCubes(change.cubes) }),
      ...(change.rateFactor !== undefined && { rate_factor: change.rateFactor }),
      ...(change.disabledAt !== undefined && { disabled_at: change.disabledAt }),
    })
    .where('id', '=', id)
    .execute()
  await bumpRevision(store)
}

/**
 * Makes other transactions about these accounts wait until this one is over; false where one does not exist. A write
 * that changes nothing, because it locks a row in both databases and SQLite knows no FOR UPDATE.
 */
export async function lockAccounts(transaction: Store, ids: readonly string[]): Promise<boolean> {
  let locked = 0n
  // In one order, so that no two transactions wait for each other.
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

export const toAccount = (row: Selectable<Tables['accounts']>): Account => ({
  id: row.id,
  name: row.name,
  cubes: row.cubes.split(',').flatMap((name) => findCube(name) ?? []),
  rateFactor: row.rate_factor,
  createdAt: row.created_at,
  disabledAt: row.disabled_at,
})

const joinCubes = (allowed: readonly Cube[]): string => allowed.map(({ name }) => name).join(',')
