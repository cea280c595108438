import { setImmediate } from 'node:timers/promises'
import { idleMsMax } from '../access/session.ts'
import { addMonths, dayMs, dayOf } from '../query/day.ts'
import {
  forgetAudit,
  forgetInvitations,
  forgetKeys,
  forgetLeases,
  forgetLoads,
  forgetSessions,
} from '../store/forget.ts'
import type { Store } from '../store/open-store.ts'

type Deps = { readonly store: Store; readonly now: () => number }

const months = (count: number) => (now: number) => Date.parse(addMonths(dayOf(now), -count))
const days = (count: number) => (now: number) => now - count * dayMs

/** How long records are kept. docs/settings.md, "How long data is kept", says the same. */
const retention = [
  // As long as facts: whoever asks where a number of a report came from finds the load.
  { forget: forgetLoads, before: months(13) },
  // The audit trail names keys: whoever reads last year's finds them.
  { forget: forgetKeys, before: months(13) },
  // Two years, and a month to look back at all of them.
  { forget: forgetAudit, before: months(25) },
  // Of no use to anybody: a session that was idle for so long is refused, however long ago it began.
  { forget: forgetSessions, before: (now: number) => now - idleMsMax },
  // An Administrator sees for a month who did not join.
  { forget: forgetInvitations, before: days(30) },
  // Left by processes that died. Most names are taken again within a minute; a node that is gone never takes its own.
  { forget: forgetLeases, before: days(1) },
]

/** Deletes records that have been kept long enough. */
export async function forgetOld({ store, now }: Deps, throwIfOver: () => void = () => {}): Promise<void> {
  for (const { forget, before } of retention) {
    const limit = before(now())
    do {
      throwIfOver()
      // A database in this process leaves no room for requests in between by itself.
      await setImmediate()
    } while (await forget(store, limit))
  }
}
