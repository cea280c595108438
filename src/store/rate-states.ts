import type { Store } from './open-store.ts'

/** The times of the requests that count against each rule, by its name. */
type RateState = Readonly<Record<string, readonly number[]>>

type Versioned = { readonly version: number; readonly state: RateState }

export async function readRateState(store: Store, accountId: string): Promise<Versioned> {
  const row = await store
    .selectFrom('rate_states')
    .select(['version', 'state'])
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return row ? { version: row.version, state: JSON.parse(row.state) as RateState } : { version: 0, state: {} }
}

/** Writes what follows from a state that was read; false where another node has written meanwhile. */
export async function writeRateState(store: Store, accountId: string, next: Versioned): Promise<boolean> {
  const version = next.version + 1
  const state = JSON.stringify(next.state)
  if (next.version === 0) {
    const { numInsertedOrUpdatedRows } = await store
      .insertInto('rate_states')
      .values({ account_id: accountId, version, state })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst()
    return numInsertedOrUpdatedRows === 1n
  }
  const { numUpdatedRows } = await store
    .updateTable('rate_states')
    .set({ version, state })
    .where('account_id', '=', accountId)
    .where('version', '=', next.version)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}
