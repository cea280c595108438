/** Why an engine gave no answer, as far as a caller can act on it. Any other error is a bug. */
export type Trouble = 'away' | 'busy' | 'timeout' | 'cancelled' | 'damaged'

export class FactsError extends Error {
  readonly trouble: Trouble

  constructor(trouble: Trouble, cause?: unknown) {
    super(`The facts engine did not answer: ${trouble}`, { cause })
    this.name = 'FactsError'
    this.trouble = trouble
  }
}

type Limits = {
  readonly msMax: number
  readonly signal?: AbortSignal | undefined
  /** Turns an engine's error into a FactsError where it is one. */
  readonly toFactsError: (error: unknown) => unknown
}

/** Does work that ends at a deadline or when the caller cancels it; what it throws is a FactsError where possible. */
export async function withDeadline<T>(
  { msMax, signal, toFactsError }: Limits,
  work: (aborted: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = AbortSignal.timeout(msMax)
  const aborted = signal ? AbortSignal.any([signal, deadline]) : deadline
  try {
    aborted.throwIfAborted()
    return await work(aborted)
  } catch (error) {
    if (signal?.aborted) throw new FactsError('cancelled', error)
    if (deadline.aborted) throw new FactsError('timeout', error)
    throw toFactsError(error)
  }
}
