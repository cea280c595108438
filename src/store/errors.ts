/**
 * Failed connections, and PostgreSQL's classes 08 (connection), 53 (out of resources), 57 (shut down, cancelled) and
 * 40 (serialization failure, deadlock).
 */
const awayCodes =
  /^(?:ECONN\w+|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|08\w{3}|53\w{3}|57\w{3}|40\w{3})$/

/** PostgreSQL: disk full, input or output error, read-only (as after another server has become the leader). */
const fullCodes = /^(?:53100|58030|25006)$/

/** SQLITE_READONLY, SQLITE_IOERR, SQLITE_FULL, SQLITE_CANTOPEN: a journal cannot be written or created. */
const sqliteFull: ReadonlySet<number> = new Set([8, 10, 13, 14])

/** Messages of pg's errors that have no code: time-outs and broken connections. */
const awayMessages =
  /^(?:timeout exceeded when trying to connect|Query read timeout|Connection terminated|Client has encountered|Client was closed)/

const sqliteBusy = 5

/** The number of an error of SQLite. The higher bytes of its code only give the reason. */
const sqliteNumber = (error: unknown): number | undefined =>
  error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : undefined

/** Checks for SQLITE_BUSY: another connection is writing. */
export const isSqliteBusy = (error: unknown): boolean => sqliteNumber(error) === sqliteBusy

/** Checks for errors that mean that the control database cannot be written now: its disk is full, broken or read-only. */
export const isStoreFull = (error: unknown): boolean =>
  sqliteFull.has(sqliteNumber(error) ?? -1) ||
  (error instanceof Error && 'code' in error && fullCodes.test(String(error.code)))

/** Thrown if SQLite stayed busy for longer than `busyMsMax`. */
export class StoreBusyError extends Error {
  constructor(options?: ErrorOptions) {
    super('The control database is busy', options)
  }
}

/** Checks for errors that mean that the control database cannot be used now, not that a statement is wrong. */
export function isStoreAway(error: unknown): boolean {
  // A host with several addresses fails with one error for each.
  if (error instanceof AggregateError) return error.errors.some(isStoreAway)
  if (!(error instanceof Error)) return false
  if (error instanceof StoreBusyError || isSqliteBusy(error)) return true
  return 'code' in error ? awayCodes.test(String(error.code)) : awayMessages.test(error.message)
}
