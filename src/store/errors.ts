/**
 * Connections that fail, and PostgreSQL's classes 08 (connection), 53 (no resources left), 57 (shut down, cancelled),
 * 40 (lost a race) and 25006 (a replica that is not the leader any more).
 */
const awayCodes =
  /^(?:ECONN\w+|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|08\w{3}|53\w{3}|57\w{3}|40\w{3}|25006)$/

/** What pg says without a code when it waits in vain, and of a connection that broke under a query or before it. */
const awayMessages =
  /^(?:timeout exceeded when trying to connect|Query read timeout|Connection terminated|Client has encountered|Client was closed)/

const sqliteBusy = 5

/** SQLite has one writer at a time, and somebody else is it. What is above the lowest byte says how it came to that. */
export const isSqliteBusy = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === sqliteBusy

/** SQLite was busy for longer than anybody waits. */
export class StoreBusyError extends Error {
  constructor(options?: ErrorOptions) {
    super('The control database is busy', options)
  }
}

/** Whether the control database does not answer, rather than answers that we are wrong. */
export function isStoreAway(error: unknown): boolean {
  // Several addresses of one host come as several errors in one.
  if (error instanceof AggregateError) return error.errors.some(isStoreAway)
  if (!(error instanceof Error)) return false
  if (error instanceof StoreBusyError || isSqliteBusy(error)) return true
  return 'code' in error ? awayCodes.test(String(error.code)) : awayMessages.test(error.message)
}
