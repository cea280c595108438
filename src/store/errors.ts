/**
 * Failed connections, and PostgreSQL's classes 08 (connection), 53 (out of resources), 57 (shut down, cancelled),
 * 40 (serialization failure, deadlock) and 25006 (read-only, because another server is the leader now).
 */
const awayCodes =
  /^(?:ECONN\w+|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|08\w{3}|53\w{3}|57\w{3}|40\w{3}|25006)$/

/** Messages of pg's errors that have no code: time-outs and broken connections. */
const awayMessages =
  /^(?:timeout exceeded when trying to connect|Query read timeout|Connection terminated|Client has encountered|Client was closed)/

const sqliteBusy = 5

/** Checks for SQLITE_BUSY: another connection is writing. The higher bytes of the code only give the reason. */
export const isSqliteBusy = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === sqliteBusy

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
