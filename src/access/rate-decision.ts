import { RateSlots, type Quota } from './rate-slots.ts'

/** What counts of an account's requests, by the name of the rule. */
export type RateCounts = Map<string, RateSlots>

export type Standing = Quota & {
  /** How many more would pass now. */
  readonly remaining: number
  /** Until that changes by itself. */
  readonly resetMs: number
}

export type Usage = Quota & {
  readonly used: number
  /** When the oldest of them stops counting. */
  readonly resetsAt: number
}

export type RateDecision = {
  readonly standings: readonly Standing[]
  /** What stands in the way longest, and for how long; undefined when the request passes. */
  readonly refusal: { readonly rule: Quota; readonly retryMs: number } | undefined
}

/**
 * Asks all quotas together: the request counts against each or, if one has no room, against none. Windows slide, so a
 * quota is not exceeded across the seam of two windows either.
 */
export function decide(counts: RateCounts, quotas: readonly Quota[], now: number): RateDecision {
  const asked = quotas.map((quota) => ({ quota, slots: counts.get(quota.name) ?? new RateSlots(quota.windowMs) }))
  for (const { slots } of asked) slots.expire(now)
  const refusal = asked
    .map(({ quota, slots }) => ({ rule: quota, retryMs: slots.waitMs(quota.quota, now) }))
    .filter(({ retryMs }) => retryMs > 0)
    .reduce<RateDecision['refusal']>(
      (longest, each) => (longest && longest.retryMs >= each.retryMs ? longest : each),
      undefined,
    )
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

/** How far quotas are used, which counts against none of them. */
export function measureUsage(counts: RateCounts, quotas: readonly Quota[], now: number): readonly Usage[] {
  return quotas.map((quota) => {
    const slots = counts.get(quota.name) ?? new RateSlots(quota.windowMs)
    slots.expire(now)
    return { ...quota, used: slots.count, resetsAt: now + slots.resetMs(now) }
  })
}
