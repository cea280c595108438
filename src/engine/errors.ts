import { ClickHouseError } from '@clickhouse/client'

/** Why the engine gave no answer, as far as a caller can act on it. Whatever else it throws is a fault of ours. */
export type EngineTrouble = 'away' | 'busy' | 'timeout' | 'cancelled'

export class EngineError extends Error {
  readonly trouble: EngineTrouble

  constructor(trouble: EngineTrouble, cause?: unknown) {
    super(`The engine did not answer: ${trouble}`, { cause })
    this.name = 'EngineError'
    this.trouble = trouble
  }
}

/** ClickHouse's error numbers, which unlike its texts do not change. */
const troubleByCode: Readonly<Record<string, EngineTrouble>> = {
  159: 'timeout', // TIMEOUT_EXCEEDED
  160: 'timeout', // TOO_SLOW
  202: 'busy', // TOO_MANY_SIMULTANEOUS_QUERIES
  236: 'away', // ABORTED, while it shuts down
  241: 'busy', // MEMORY_LIMIT_EXCEEDED
  394: 'cancelled', // QUERY_WAS_CANCELLED
}

const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
])

export function toEngineError(error: unknown): unknown {
  if (error instanceof ClickHouseError) {
    const trouble = troubleByCode[error.code]
    return trouble ? new EngineError(trouble, error) : error
  }
  if (!(error instanceof Error)) return error
  const code = 'code' in error ? String(error.code) : ''
  // The client reports its own time limit and a connection cut half-way by message alone.
  if (networkCodes.has(code) || error.message === 'socket hang up' || error.message === 'aborted') {
    return new EngineError('away', error)
  }
  return error.message.startsWith('Timeout error') ? new EngineError('timeout', error) : error
}
