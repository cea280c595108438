import { ClickHouseError } from '@clickhouse/client'
import { FactsError, type Trouble } from '../errors.ts'

/** ClickHouse's error numbers are stable; its messages are not. */
const troubleByCode: Readonly<Record<string, Trouble>> = {
  159: 'timeout', // TIMEOUT_EXCEEDED
  160: 'timeout', // TOO_SLOW
  173: 'busy', // CANNOT_ALLOCATE_MEMORY
  202: 'busy', // TOO_MANY_SIMULTANEOUS_QUERIES
  236: 'away', // ABORTED, while it shuts down
  241: 'busy', // MEMORY_LIMIT_EXCEEDED
  242: 'away', // TABLE_IS_READ_ONLY
  243: 'busy', // NOT_ENOUGH_SPACE
  252: 'busy', // TOO_MANY_PARTS
  394: 'cancelled', // QUERY_WAS_CANCELLED
  439: 'busy', // CANNOT_SCHEDULE_TASK
  735: 'cancelled', // QUERY_WAS_CANCELLED_BY_CLIENT
  745: 'busy', // SERVER_OVERLOADED
  999: 'away', // KEEPER_EXCEPTION
}

const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
])

export function toFactsError(error: unknown): unknown {
  if (error instanceof ClickHouseError) {
    const trouble = troubleByCode[error.code]
    return trouble ? new FactsError(trouble, error) : error
  }
  if (!(error instanceof Error)) return error
  const code = 'code' in error ? String(error.code) : ''
  return networkCodes.has(code) ? new FactsError('away', error) : error
}
