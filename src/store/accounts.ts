import { cubes, findCube } from '../catalog/cubes.ts'
import type { Cube } from '../catalog/cube.ts'
import type { Store } from './open-store.ts'

export type Account = {
  readonly id: string
  readonly name: string
  readonly cubes: readonly Cube[]
}

/** Makes an account that may use every cube. */
export async function createAccount(store: Store, account: { id: string; name: string; now: number }): Promise<void> {
  const names = cubes.map(({ name }) => name).join(',')
  await store
    .insertInto('accounts')
    .values({ id: account.id, name: account.name, cubes: names, created_at: account.now })
    .execute()
}

export async function findAccount(store: Store, id: string): Promise<Account | undefined> {
  const row = await store.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst()
  return row && { id: row.id, name: row.name, cubes: parseCubes(row.cubes) }
}

export async function countAccounts(store: Store): Promise<number> {
  const { count } = await store
    .selectFrom('accounts')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

const parseCubes = (names: string): readonly Cube[] =>
  names.split(',').flatMap((name) => {
    const cube = findCube(name)
    return cube ? [cube] : []
  })
