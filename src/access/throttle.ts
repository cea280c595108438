import { createHmac, randomBytes } from 'node:crypto'
import { isIPv6 } from 'node:net'

export type Allowance = {
  /** Attempts allowed at once. */
  readonly burst: number
  /** One more is allowed after each such time. */
  readonly refillMs: number
}

/** Both rows together take a megabyte, however many names there are. */
const slots = 65_536
const rows = 2

/**
 * Limits attempts by a name such as an IP address, in fixed memory. A keyed hash, which callers cannot predict, maps a name
 * to one slot in each of two rows. An attempt is refused only if both slots are used up, so a name that shares a slot
 * with an abuser still has the other.
 */
export class Throttle {
  readonly #allowance: Allowance
  readonly #secret = randomBytes(32)
  /** The time at which a slot is full again; each attempt moves it on. */
  readonly #fullAt = new Float64Array(slots * rows)

  constructor(allowance: Allowance) {
    this.#allowance = allowance
  }

  /** Counts an attempt and returns 0, or counts nothing and returns the milliseconds to wait. */
  take(name: string, now: number): number {
    const { burst, refillMs } = this.#allowance
    const indexes = this.#indexesOf(name)
    // A time more than a burst ahead means that the clock was set back.
    for (const index of indexes) this.#fullAt[index] = Math.min(this.#fullAt[index] ?? 0, now + burst * refillMs)
    const waits = indexes.map((index) => (this.#fullAt[index] ?? 0) - now - (burst - 1) * refillMs)
    const waitMs = Math.min(...waits)
    if (waitMs > 0) return waitMs
    for (const index of indexes) this.#fullAt[index] = Math.max(this.#fullAt[index] ?? 0, now) + refillMs
    return 0
  }

  /** Uncounts an attempt. */
  undo(name: string): void {
    for (const index of this.#indexesOf(name))
      this.#fullAt[index] = (this.#fullAt[index] ?? 0) - this.#allowance.refillMs
  }

  #indexesOf(name: string): number[] {
    const digest = createHmac('sha256', this.#secret).update(name).digest()
    return Array.from({ length: rows }, (_, row) => row * slots + (digest.readUInt32LE(row * 4) % slots))
  }
}

/** The key for limits by IP address: for IPv6 the /56 prefix, because a customer usually has a whole /56. */
export function originOf(address: string): string {
  if (!isIPv6(address)) return address
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  const [head = '', tail] = (address.split('%', 1)[0] ?? '').split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length)
  const groups = [...left, ...Array.from({ length: zeros }, () => '0'), ...right]
  const [a = '0', b = '0', c = '0', d = '0'] = groups.map((group) => Number.parseInt(group, 16).toString(16))
  return [a, b, c, (Number.parseInt(d, 16) & 0xff00).toString(16)].join(':')
}
