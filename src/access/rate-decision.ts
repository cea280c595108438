/** A maximum number of requests in any stretch of time as long as the window. */
export type Quota = { readonly name: string; readonly windowMs: number; readonly quota: number }

/** A window of a minute has slots of a second. */
const slotsOfWindow = 60

/** The counted requests of an account, by the name of the rule. */
export type RateCounts = Map<string, RateSlots>

export type Standing = Quota & {
  /** The number of requests that would pass now. */
  readonly remaining: number
  /** The time until the oldest request stops counting. */
  readonly resetMs: number
}

export type Usage = Quota & {
  readonly used: number
  /** The time at which the oldest request stops counting. */
  readonly resetsAt: number
}

export type RateDecision = {
  readonly standings: readonly Standing[]
  /** The rule with the longest wait; undefined if the request passes. */
  readonly refusal: { readonly rule: Quota; readonly retryMs: number } | undefined
}

/**
 * Counts a request against all quotas or, if one is used up, against none. Windows slide, so that no stretch of time as long
 * as the window exceeds its quota.
 */
export function decide(counts: RateCounts, quotas: readonly Quota[], now: number): RateDecision {
  const asked = quotas.map((quota) => ({ quota, slots: counts.get(quota.name) ?? new RateSlots(quota.windowMs) }))
  for (const { slots } of asked) slots.expire(now)
  const [refusal] = asked
    .map(({ quota, slots }) => ({ rule: quota, retryMs: slots.waitMs(quota.quota, now) }))
    .filter(({ retryMs }) => retryMs > 0)
    .toSorted((one, other) => other.retryMs - one.retryMs)
  if (!refusal) {
    for (const { quota, slots } of asked) {
      slots.add(now)
      counts.set(quota.name, slots)
    }
  }
  const standings = asked.map(({ quota, slots }) => ({
    ...quota,
    remaining: Math.max(0, quota.quota - slots.count),
    resetMs: slots.resetMs(now),
  }))
  return { standings, refusal }
}

/** Measures how far quotas are used, and counts nothing. */
export function measureUsage(counts: RateCounts, quotas: readonly Quota[], now: number): readonly Usage[] {
  return quotas.map((quota) => {
    const slots = counts.get(quota.name) ?? new RateSlots(quota.windowMs)
    slots.expire(now)
    return { ...quota, used: slots.count, resetsAt: now + slots.resetMs(now) }
  })
}

/** A number of requests, and the time of the last of them. */
export type Slot = { lastAt: number; count: number }

/**
 * Counts the requests of one quota in slots of time, so that memory does not grow with their number. A slot counts until a
 * window has passed since its last request: no request stops counting too early, and none counts longer than a window
 * and a slot.
 */
export class RateSlots {
  readonly #windowMs: number
  /** Oldest first. */
  readonly #slots: Slot[]
  #count: number

  constructor(windowMs: number, slots: readonly Readonly<Slot>[] = []) {
    this.#windowMs = windowMs
    this.#slots = slots.map((slot) => ({ ...slot }))
    this.#count = slots.reduce((sum, { count }) => sum + count, 0)
  }

  get slots(): readonly Readonly<Slot>[] {
    return this.#slots
  }

  get count(): number {
    return this.#count
  }

  /** Drops slots that no longer count. */
  expire(now: number): void {
    while ((this.#slots[0]?.lastAt ?? Infinity) <= now - this.#windowMs) this.#count -= this.#slots.shift()?.count ?? 0
    // If the clock was set back, slots are in the future. Moved to now, they block no longer than a window.
    let ahead = 0
    while ((this.#slots.at(-1)?.lastAt ?? 0) > now) ahead += this.#slots.pop()?.count ?? 0
    if (ahead > 0) this.#put(now, ahead)
  }

  add(now: number): void {
    this.#count++
    this.#put(now, 1)
  }

  /** The time until one more request fits; 0 if it does now. */
  waitMs(quota: number, now: number): number {
    let over = this.#count - quota
    if (over < 0) return 0
    const blocker = this.#slots.find(({ count }) => (over -= count) < 0)
    return blocker ? blocker.lastAt + this.#windowMs - now : 0
  }

  /** The time until the oldest slot stops counting. */
  resetMs(now: number): number {
    return (this.#slots[0]?.lastAt ?? now) + this.#windowMs - now
  }

  #put(at: number, count: number): void {
    const newest = this.#slots.at(-1)
    if (newest && this.#slotAt(newest.lastAt) === this.#slotAt(at)) {
      newest.lastAt = at
      newest.count += count
    } else {
      this.#slots.push({ lastAt: at, count })
    }
  }

  #slotAt(time: number): number {
    return Math.floor((time * slotsOfWindow) / this.#windowMs)
  }
}
