/** A quota of requests in any stretch of time as long as the window. */
export type Quota = { readonly name: string; readonly windowMs: number; readonly quota: number }

/** Below this, what has passed is not worth cutting off. */
const compactFrom = 256

/** The times of the requests that count against one quota, oldest first. */
export class RateLog {
  #times: number[]
  /** What lies before is past. Moving it is cheaper than moving all that follows. */
  #first = 0

  constructor(times: readonly number[] = []) {
    this.#times = [...times]
  }

  /** Lets go of what no longer counts; a request counts until exactly one window later. */
  expire({ windowMs }: Quota, now: number): void {
    while ((this.#times[this.#first] ?? Infinity) <= now - windowMs) this.#first++
    if (this.#first >= compactFrom && this.#first * 2 > this.#times.length) {
      this.#times = this.#times.slice(this.#first)
      this.#first = 0
    }
    // A clock that was set back must not block longer than a window: what seems to come from the future is of now.
    for (let last = this.#times.length - 1; last >= this.#first && (this.#times[last] ?? 0) > now; last--) {
      this.#times[last] = now
    }
  }

  get count(): number {
    return this.#times.length - this.#first
  }

  /** How long until one more fits, 0 when it does: once the blocker is gone, one less than the quota is left. */
  waitMs({ windowMs, quota }: Quota, now: number): number {
    const blocker = this.count < quota ? undefined : this.#times[this.#times.length - quota]
    return blocker === undefined ? 0 : blocker + windowMs - now
  }

  /** How long until the oldest stops counting. */
  resetMs({ windowMs }: Quota, now: number): number {
    return (this.#times[this.#first] ?? now) + windowMs - now
  }

  add(now: number): void {
    this.#times.push(now)
  }

  toJSON(): readonly number[] {
    return this.#times.slice(this.#first)
  }
}
