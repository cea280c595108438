import { setImmediate } from 'node:timers/promises'
import { sql, type RawBuilder } from 'kysely'
import { addressMsMax } from '../access/known-addresses.ts'
import { idleMsMax } from '../access/sessions.ts'
import { addMonths, dayMs, dayOf } from '../query/day.ts'
import type { Store } from '../store/open-store.ts'

type Deps = { readonly store: Store; readonly now: () => number }

type Retention = {
  readonly table: string
  readonly key: string
  /** The column with the time that counts. */
  readonly time: string
  /** Rows with an earlier time are deleted. */
  readonly before: (now: number) => number
  /** A further condition for being deleted. */
  readonly and?: RawBuilder<boolean>
}

const months = (count: number) => (now: number) => Date.parse(addMonths(dayOf(now), -count))
const days = (count: number) => (now: number) => now - count * dayMs
const isReferred = (table: string): RawBuilder<boolean> =>
  sql`EXISTS (SELECT 1 FROM ${sql.table(table)} AS other WHERE other.load_id = loads.id)`

/** How long records are kept. docs/settings.md, "How long data is kept", says the same. */
const retentions: readonly Retention[] = [
  {
    // As long as facts, so that the loads of the numbers in a report can be looked up.
    table: 'loads',
    key: 'id',
    time: 'finishedAt',
    before: months(13),
    // They show nothing and have nothing left to be swept.
    and: sql`(state = 'visible' OR swept_at IS NOT NULL) AND NOT ${isReferred('visibleLoads')}
      AND NOT ${isReferred('retiredLoads')} AND NOT ${isReferred('appendedFiles')}`,
  },
  // The audit trail of the last year names keys. A deleted key is kept as long as one that expires.
  { table: 'apiKeys', key: 'id', time: 'expiresAt', before: months(13) },
  // Two years, and a month to look back at all of them.
  { table: 'audit', key: 'id', time: 'at', before: months(25) },
  // Sessions that were idle for so long are refused.
  { table: 'sessions', key: 'selector', time: 'lastSeenAt', before: (now) => now - idleMsMax },
  // Administrators see for a month who did not accept an invitation.
  { table: 'memberships', key: 'id', time: 'invitationExpiresAt', before: days(30) },
  { table: 'signInAddresses', key: 'digest', time: 'signedInAt', before: (now) => now - addressMsMax },
  // Leases of processes that died and whose work nobody has taken over, because their machine is gone.
  { table: 'leases', key: 'name', time: 'until', before: days(1) },
]

/** Few enough for a statement that takes milliseconds. */
const rowsAtOnce = 500

/** Deletes records that have been kept long enough. */
export async function forgetOld({ store, now }: Deps, throwIfOver: () => void = () => {}): Promise<void> {
  for (const retention of retentions) {
    const before = retention.before(now())
    let deleted = rowsAtOnce
    while (deleted === rowsAtOnce) {
      throwIfOver()
      // SQLite runs in this process and leaves no time for requests by itself.
      await setImmediate()
      deleted = await deleteSome(store, retention, before)
    }
  }
}

async function deleteSome(store: Store, { table, key, time, and }: Retention, before: number): Promise<number> {
  const isOld = sql`${sql.ref(time)} < ${before}${and ? sql` AND ${and}` : sql``}`
  // The condition stands twice because a row may change between the two steps: an invitation may be accepted.
  const { numAffectedRows = 0n } = await sql`
    DELETE FROM ${sql.table(table)} WHERE ${isOld} AND ${sql.ref(key)} IN (
      SELECT ${sql.ref(key)} FROM ${sql.table(table)} WHERE ${isOld} ORDER BY ${sql.ref(time)} LIMIT ${rowsAtOnce}
    )`.execute(store)
  return Number(numAffectedRows)
}
