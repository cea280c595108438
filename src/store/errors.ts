/** Connections that fail, and PostgreSQL's classes 08 (connection), 53 (no resources left) and 57 (shut down, cancelled). */
const awayCodes = /^(?:ECONN\w+|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|08\w{3}|53\w{3}|57\w{3})$/

/** What pg says without a code when it waits in vain, or when a connection breaks under a query. */
const awayMessages = /^(?:timeout exceeded when trying to connect|Connection terminated)/

/** Whether the control database does not answer, rather than answers that we are wrong. */
export function isStoreAway(error: unknown): boolean {
  // Several addresses of one host come as several errors in one.
  if (error instanceof AggregateError) return error.errors.some(isStoreAway)
  if (!(error instanceof Error)) return false
  return 'code' in error ? awayCodes.test(String(error.code)) : awayMessages.test(error.message)
}
