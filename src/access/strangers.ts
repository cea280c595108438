import { createHmac, randomBytes } from 'node:crypto'
import { isIPv6 } from 'node:net'

export type Allowance = {
  /** How many come at once. */
  readonly burst: number
  /** One more each so long. */
  readonly refillMs: number
}

/** A power of two; both rows together take 256 KiB, however many strangers there are. */
const slots = 16_384
const rows = 2

/**
 * Slows down those whom we do not know, by a name such as their address. Memory is fixed: a name falls on one slot in
 * each of two rows, by a hash that outsiders cannot foresee, and is refused only if both are used up, so whoever shares
 * a slot with an abuser has a second one.
 */
export class Strangers {
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

/** Whom to count an address as: someone with IPv6 has the lower half of it for the choosing. */
export function originOf(address: string): string {
  if (!isIPv6(address)) return address
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  const [head = '', tail] = address.split('%', 1)[0]!.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length)
  return [...left, ...Array.from({ length: zeros }, () => '0'), ...right].slice(0, 4).join(':')
}
