import { RateSlots, type Quota } from './rate-slots.ts'

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

/** Measures how far quotas are used, and counts nothing. */
export function measureUsage(counts: RateCounts, quotas: readonly Quota[], now: number): readonly Usage[] {
  return quotas.map((quota) => {
    const slots = counts.get(quota.name) ?? new RateSlots(quota.windowMs)
    slots.expire(now)
    return { ...quota, used: slots.count, resetsAt: now + slots.resetMs(now) }
  })
}
