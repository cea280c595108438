import { randomBytes } from 'node:crypto'
import type { Store } from './open-store.ts'

/** Returns a secret that all nodes share, and creates it on first use. */
export async function findSecret(store: Store, name: string): Promise<Buffer> {
  await store
    .insertInto('secrets')
    .values({ name, value: randomBytes(32).toString('hex') })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const { value } = await store.selectFrom('secrets').select('value').where('name', '=', name).executeTakeFirstOrThrow()
  return Buffer.from(value, 'hex')
}
