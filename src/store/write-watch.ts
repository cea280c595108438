/** A failed write counts for this long. Chores write every minute, so a failure that lasts is noted again in time. */
const failedMs = 90_000

/** Remembers that the control database could not be written, for the health, the metrics and the alerts. */
export class WriteWatch {
  readonly #now: () => number
  #failedUntil = -Infinity

  constructor(now: () => number) {
    this.#now = now
  }

  noteFailure(): void {
    this.#failedUntil = this.#now() + failedMs
  }

  get hasFailed(): boolean {
    return this.#now() < this.#failedUntil
  }
}
