import type { Store } from './open-store.ts'

type Lease = { readonly name: string; readonly holder: string }

/** Takes or renews a lease; false while another holder has it. */
export async function takeLease(
  store: Store,
  { name, holder, now, ms }: Lease & { readonly now: number; readonly ms: number },
): Promise<boolean> {
  const until = now + ms
  const { numInsertedOrUpdatedRows } = await store
    .insertInto('leases')
    .values({ name, holder, until })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ holder, until })
        .where((sql) => sql.or([sql('leases.holder', '=', holder), sql('leases.until', '<=', now)])),
    )
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/** Gives a lease back before its time. One that another has by now stays theirs. */
export async function endLease(store: Store, { name, holder }: Lease): Promise<void> {
  await store.deleteFrom('leases').where('name', '=', name).where('holder', '=', holder).execute()
}
