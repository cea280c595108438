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
      .insertInto('rateStates')
      .values({ accountId, state: '' })
      // A write that changes nothing locks the row in both databases, and returns it.
      .onConflict((conflict) =>
        conflict.column('accountId').doUpdateSet((sql) => ({ state: sql.ref('rateStates.state') })),
      )
      .returning('state')
      .executeTakeFirstOrThrow()
    const next = change(state)
    if (next === undefined) return
    await transaction.updateTable('rateStates').set({ state: next }).where('accountId', '=', accountId).execute()
  })
}

/** What is stored, as it is now; the empty text where nothing is. */
export async function findRateState(store: Store, accountId: string): Promise<string> {
  const row = await store.selectFrom('rateStates').select('state').where('accountId', '=', accountId).executeTakeFirst()
  return row?.state ?? ''
}
