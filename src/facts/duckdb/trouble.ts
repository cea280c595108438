import { ChildEnded } from '../../concurrency/child-process.ts'
import { FactsError } from '../errors.ts'

/** DuckDB's errors have no numbers. The first words of a message name the kind, and are stable; the rest is not read. */
export function toFactsError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  if (error instanceof ChildEnded) return new FactsError('away', error)
  if (error.message.startsWith('INTERRUPT Error')) return new FactsError('cancelled', error)
  if (error.message.startsWith('Out of Memory Error')) return new FactsError('busy', error)
  // The file was replaced meanwhile, or the disk is away or full: a retry may succeed.
  return error.message.startsWith('IO Error') ? new FactsError('away', error) : error
}
