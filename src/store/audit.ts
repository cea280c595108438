import type { Insertable } from 'kysely'
import type { Store } from './open-store.ts'
import type { Tables } from './tables.ts'

/** The actor of commands. No person can have this name: addresses contain an @. */
export const operator = 'operator'

/** Records a change. Call it in the transaction of the change, so that neither is stored without the other. */
export async function recordAudit(transaction: Store, entry: Insertable<Tables['audit']>): Promise<void> {
  await transaction.insertInto('audit').values(entry).execute()
}
