import { FactsError } from '../errors.ts'
import { toFactsError } from './trouble.ts'

type Limits = { readonly msMax: number; readonly signal?: AbortSignal | undefined }

/**
 * Does work that ends when its time is over or its caller gives up, and throws a FactsError for whatever keeps the
 * server from answering. Every call to the server goes through here, so that none waits for one that never answers.
 */
export async function withDeadline<T>(
  { msMax, signal }: Limits,
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
