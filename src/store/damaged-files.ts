import type { Store } from './open-store.ts'
import type { Tables } from './tables.ts'

/** Records that a stored file differs from its record, until a check finds it in order. */
export async function recordDamage(
  store: Store,
  { cube, account, day, load, place, reason }: Damage,
  now: number,
): Promise<void> {
  await store
    .insertInto('damagedFiles')
    .values({ cube, accountId: account, day, loadId: load, place, reason, foundAt: now, checkedAt: now })
    .onConflict((conflict) => conflict.column('place').doUpdateSet({ reason, checkedAt: now }))
    .execute()
}

type Damage = Pick<Tables['damagedFiles'], 'cube' | 'day' | 'place' | 'reason'> & {
  readonly account: string
  readonly load: number
}
