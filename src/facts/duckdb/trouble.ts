import { FactsError } from '../errors.ts'

/**
 * DuckDB's binding gives errors a message and no number. The kind that begins the message is stable; what follows it is
 * never read.
 */
export function toFactsError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  if (error.message.startsWith('INTERRUPT Error')) return new FactsError('cancelled', error)
  if (error.message.startsWith('Out of Memory Error')) return new FactsError('busy', error)
  // A file that is gone was replaced meanwhile, or the disk is away or full: asking again may help.
  return error.message.startsWith('IO Error') ? new FactsError('away', error) : error
}
