import { createHmac, randomBytes } from 'node:crypto'

export type Allowance = {
  /** How many come at once. */
  readonly burst: number
  /** One more each so long. */
  readonly refillMs: number
}

/** Both rows together take a megabyte, however many names there are. */
const slots = 65_536
const rows = 2

/**
 * Slows down whoever tries too often, by a name such as their address. Memory is fixed: a name falls on one slot in
 * each of two rows, by a hash that outsiders cannot foresee, and is refused only if both are used up, so whoever shares
 * a slot with an abuser has a second one.
 */
export class Throttle {
  readonly #allowance: Allowance
  readonly #secret = randomBytes(32)
  /** When a slot will be wholly refilled; each use pushes it on. */
  readonly #fullAt = new Float64Array(slots * rows)

  constructor(allowance: Allowance) {
    this.#allowance = allowance
  }

  /** Counts one attempt and returns 0, or counts nothing and returns how long to wait. */
  take(name: string, now: number): number {
    const { burst, refillMs } = this.#allowance
    const places = this.#placesOf(name)
    // More than a whole burst ahead can only be a clock that was set back.
    for (const place of places) this.#fullAt[place] = Math.min(this.#fullAt[place] ?? 0, now + burst * refillMs)
    const waits = places.map((place) => (this.#fullAt[place] ?? 0) - now - (burst - 1) * refillMs)
    const waitMs = Math.min(...waits)
    if (waitMs > 0) return waitMs
    for (const place of places) this.#fullAt[place] = Math.max(this.#fullAt[place] ?? 0, now) + refillMs
    return 0
  }

  /** Takes an attempt back that turned out well. */
  giveBack(name: string): void {
    for (const place of this.#placesOf(name))
      this.#fullAt[place] = (this.#fullAt[place] ?? 0) - this.#allowance.refillMs
  }

  #placesOf(name: string): number[] {
    const digest = createHmac('sha256', this.#secret).update(name).digest()
    return Array.from({ length: rows }, (_, row) => row * slots + (digest.readUInt32LE(row * 4) % slots))
  }
}
