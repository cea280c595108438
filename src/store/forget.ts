import type { Store } from './open-store.ts'

/** Few enough for a statement that takes milliseconds. */
const rowsAtOnce = 500

/** Deletes some of what is older than `before`; false where that was the last of it. */
type Forget = (store: Store, before: number) => Promise<boolean>

/** Loads that have ended, show nothing, and have nothing left to be removed from the engine. */
export const forgetLoads: Forget = async (store, before) => {
  const { numDeletedRows } = await store
    .deleteFrom('loads')
    .where('id', 'in', (sql) =>
      sql
        .selectFrom('loads')
        .select('id')
        .where('finishedAt', '<', before)
        .where((load) => load.or([load('state', '=', 'visible'), load('sweptAt', 'is not', null)]))
        .where((load) =>
          load.and(
            (['visibleLoads', 'retiredLoads', 'appendedFiles'] as const).map((table) =>
              load.not(
                load.exists(load.selectFrom(table).select('loadId').whereRef(`${table}.loadId`, '=', 'loads.id')),
              ),
            ),
          ),
        )
        .orderBy('finishedAt')
        .limit(rowsAtOnce),
    )
    .executeTakeFirst()
  return Number(numDeletedRows) === rowsAtOnce
}

/** API keys that have expired, deleted ones by the time at which they would have. */
export const forgetKeys: Forget = async (store, before) => {
  const { numDeletedRows } = await store
    .deleteFrom('apiKeys')
    .where('id', 'in', (sql) =>
      sql.selectFrom('apiKeys').select('id').where('expiresAt', '<', before).orderBy('expiresAt').limit(rowsAtOnce),
    )
    .executeTakeFirst()
  return Number(numDeletedRows) === rowsAtOnce
}

export const forgetAudit: Forget = async (store, before) => {
  const { numDeletedRows } = await store
    .deleteFrom('audit')
    .where('id', 'in', (sql) =>
      sql.selectFrom('audit').select('id').where('at', '<', before).orderBy('at').limit(rowsAtOnce),
    )
    .executeTakeFirst()
  return Number(numDeletedRows) === rowsAtOnce
}

/** Sessions that were last used before. */
export const forgetSessions: Forget = async (store, before) => {
  const { numDeletedRows } = await store
    .deleteFrom('sessions')
    .where('selector', 'in', (sql) =>
      sql
        .selectFrom('sessions')
        .select('selector')
        .where('lastSeenAt', '<', before)
        .orderBy('lastSeenAt')
        .limit(rowsAtOnce),
    )
    .executeTakeFirst()
  return Number(numDeletedRows) === rowsAtOnce
}

/** People whose invitation has expired and who never joined. */
export const forgetInvitations: Forget = async (store, before) => {
  const { numDeletedRows } = await store
    .deleteFrom('people')
    // Asked again, because an invitation may be taken up at any moment until it has expired, on a clock that is behind.
    .where('passwordHash', 'is', null)
    .where('id', 'in', (sql) =>
      sql
        .selectFrom('people')
        .select('id')
        .where('invitationExpiresAt', '<', before)
        .where('passwordHash', 'is', null)
        .orderBy('invitationExpiresAt')
        .limit(rowsAtOnce),
    )
    .executeTakeFirst()
  return Number(numDeletedRows) === rowsAtOnce
}

/** Leases of holders that never gave them back and that nobody has asked for since. */
export const forgetLeases: Forget = async (store, before) => {
  const { numDeletedRows } = await store
    .deleteFrom('leases')
    .where('until', '<', before)
    .where('name', 'in', (sql) => sql.selectFrom('leases').select('name').where('until', '<', before).limit(rowsAtOnce))
    .executeTakeFirst()
  return Number(numDeletedRows) === rowsAtOnce
}
