import { RateLog, type Quota } from './rate-log.ts'

/** An account's logs, by the name of the rule. */
export type RateLogs = Map<string, RateLog>

export type Standing = Quota & {
  /** How many more would pass now. */
  readonly remaining: number
  /** Until that changes by itself. */
  readonly resetMs: number
}

export type RateDecision = {
  readonly standings: readonly Standing[]
  /** What stands in the way longest, and for how long; undefined when the request passes. */
  readonly refusal: { readonly rule: Quota; readonly retryMs: number } | undefined
}

/**
 * Asks all quotas together: the request counts against each or, if one has no room, against none. Windows slide, and
 * every request that counts is remembered by its time, so that a quota is neither exceeded across the seam of two
 * windows nor given back late.
 */
export function decide(logs: RateLogs, quotas: readonly Quota[], now: number): RateDecision {
  const asked = quotas.map((quota) => ({ quota, log: logs.get(quota.name) ?? new RateLog() }))
  for (const { quota, log } of asked) log.expire(quota, now)
  const refusal = asked
    .map(({ quota, log }) => ({ rule: quota, retryMs: log.waitMs(quota, now) }))
    .filter(({ retryMs }) => retryMs > 0)
    .reduce<RateDecision['refusal']>(
      (longest, each) => (longest && longest.retryMs >= each.retryMs ? longest : each),
      undefined,
    )
  if (!refusal) {
    for (const { quota, log } of asked) {
      log.add(now)
      logs.set(quota.name, log)
    }
  }
  const standings = asked.map(({ quota, log }) => ({
    ...quota,
    remaining: Math.max(0, quota.quota - log.count),
    resetMs: log.resetMs(quota, now),
  }))
  return { standings, refusal }
}
