import type { Selectable } from 'kysely'
import type { Logger } from 'pino'
import { dayMs } from '../query/day.ts'
import type { Store } from './open-store.ts'
import type { Tables } from './tables.ts'

type ClockCheck = Omit<Selectable<Tables['clockChecks']>, 'id'>

/**
 * Checks that the time can be believed, before anything is deleted by its age. A clock that is set ahead by mistake would
 * delete keys, the audit trail and facts. So a step of more than a day, or a day without any process, holds deletions until
 * the clock has run for a day without another step, is set back, or the operator confirms it.
 */
export async function mayDeleteByAge(
  { store, log }: { readonly store: Store; readonly log: Logger },
  now: number,
): Promise<boolean> {
  const { before, after } = await store.transaction().execute(async (transaction) => {
    const row = transaction.updateTable('clockChecks').where('id', '=', 1)
    // A write that changes nothing locks the row.
    const before = await row
      .set((sql) => ({ id: sql.ref('id') }))
      .returningAll()
      .executeTakeFirstOrThrow()
    const after = judgeTime(before, now)
    await row.set(after).execute()
    return { before, after }
  })
  const times = { trusted: isoOf(before.trustedAt), now: isoOf(now) }
  if (before.heldSince === null && after.heldSince !== null) {
    log.warn(times, 'the clock is more than a day ahead of the last known time: nothing is deleted by age for a day')
  }
  if (before.heldSince !== null && after.heldSince === null) log.info(times, 'records are deleted by age again')
  return after.heldSince === null
}

function judgeTime({ trustedAt, heldSince, checkedAt }: ClockCheck, now: number): ClockCheck {
  const trusted = { trustedAt: now, heldSince: null, checkedAt: now }
  // Also if the clock was set back, because an earlier time deletes less.
  if (trustedAt === null || now <= trustedAt + dayMs) return trusted
  const isSteady = heldSince !== null && now >= heldSince && Math.abs(now - checkedAt) <= dayMs
  if (isSteady && now >= heldSince + dayMs) return trusted
  return { trustedAt, heldSince: isSteady ? heldSince : now, checkedAt: now }
}

/** Reads the last time that was believed, and since when deletions are held; null if they are not. */
export const readClockCheck = (store: Store): Promise<Pick<ClockCheck, 'trustedAt' | 'heldSince'>> =>
  store.selectFrom('clockChecks').select(['trustedAt', 'heldSince']).where('id', '=', 1).executeTakeFirstOrThrow()

/** Believes the time, because the operator says so. */
export async function trustTime(store: Store, now: number): Promise<void> {
  await store
    .updateTable('clockChecks')
    .set({ trustedAt: now, heldSince: null, checkedAt: now })
    .where('id', '=', 1)
    .execute()
}

const isoOf = (time: number | null): string | undefined => (time === null ? undefined : new Date(time).toISOString())
