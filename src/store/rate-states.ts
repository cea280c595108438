import type { Store } from './open-store.ts'

/**
 * Changes what is stored of an account's rate limits, in one transaction that holds its row: nodes that do so at once take
 * turns, and none has to try again. `change` gets the empty text where nothing is stored, and returns undefined to leave
 * it as it is.
 */
export async function changeRateState(
  store: Store,
  accountId: string,
  change: (state: string) => string | undefined,
): Promise<void> {
  await store.transaction().execute(async (transaction) => {
    const { state } = await transaction
      .insertInto('rate_states')
      .values({ account_id: accountId, state: '' })
      // A write that changes nothing locks the row in both databases, and returns it.
      .onConflict((conflict) =>
        conflict.column('account_id').doUpdateSet((sql) => ({ state: sql.ref('rate_states.state') })),
      )
      .returning('state')
      .executeTakeFirstOrThrow()
    const next = change(state)
    if (next === undefined) return
    await transaction.updateTable('rate_states').set({ state: next }).where('account_id', '=', accountId).execute()
  })
}

/** What is stored, as it is now; the empty text where nothing is. */
export async function findRateState(store: Store, accountId: string): Promise<string> {
  const row = await store
    .selectFrom('rate_states')
    .select('state')
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return row?.state ?? ''
}
