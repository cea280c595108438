/** Why an engine gave no answer, as far as a caller can act on it. Whatever else it throws is an error of ours. */
export type Trouble = 'away' | 'busy' | 'timeout' | 'cancelled'

export class FactsError extends Error {
  readonly trouble: Trouble

  constructor(trouble: Trouble, cause?: unknown) {
    super(`The facts engine did not answer: ${trouble}`, { cause })
    this.name = 'FactsError'
    this.trouble = trouble
  }
}
