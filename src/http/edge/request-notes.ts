/** Where the time of a request can go. Parts follow each other; what is in none of them is the rest. */
export type Part = 'auth' | 'limits' | 'body' | 'store' | 'wait' | 'engine'

/** What is noted of a request while it is worked on, for its line in the log and for the metrics. */
export class RequestNotes {
  readonly startedAt = performance.now()
  account: string | undefined
  /** The id of the API key, never the key. */
  key: string | undefined
  /** Rows of facts in the answer. */
  rows: number | undefined
  /** Of the problem that was the answer. */
  code: string | undefined
  /** The rate limit that refused it. */
  rule: string | undefined
  readonly #ms = new Map<Part, number>()
  #part: Part | undefined
  #since = 0

  /** From here on the time is spent on this part. */
  enter(part: Part): void {
    this.leave()
    this.#part = part
    this.#since = performance.now()
  }

  leave(): void {
    if (this.#part === undefined) return
    this.#ms.set(this.#part, (this.#ms.get(this.#part) ?? 0) + performance.now() - this.#since)
    this.#part = undefined
  }

  /** Milliseconds by part, each under its name in the log. */
  spent(): Record<string, number> {
    return Object.fromEntries([...this.#ms].map(([part, ms]) => [`ms_${part}`, toTenths(ms)]))
  }
}

export const toTenths = (ms: number): number => Math.round(ms * 10) / 10
