import type { Account } from '../store/accounts.ts'
import { decide, measureUsage, type Quota, type RateCounts, type RateDecision, type Usage } from './rate-decision.ts'
import type { RateRule } from './rate-rules.ts'

type Limited = Pick<Account, 'id' | 'rateFactor'>

/** Counts the requests of accounts. */
export type RateLimiter = {
  /** Counts a request against all the rules, or against none if one has no room. */
  take(account: Limited, rules: readonly RateRule[], now: () => number): Promise<RateDecision>
  /** Returns how far the rules are used, and counts nothing. */
  look(account: Limited, rules: readonly RateRule[], now: () => number): Promise<readonly Usage[]>
}

/** Counts nothing, for benchmarks. */
export const noLimits: RateLimiter = {
  take: async () => ({ standings: [], refusal: undefined }),
  look: async () => [],
}

const sweepMs = 60_000

/** Counts for a single node. */
export function countInMemory(): RateLimiter {
  const accounts = new Map<string, RateCounts>()
  let sweepAt = 0
  return {
    async take(account, rules, clock) {
      const now = clock()
      if (now >= sweepAt || sweepAt > now + 2 * sweepMs) {
        sweep(accounts, now)
        sweepAt = now + sweepMs
      }
      const counts: RateCounts = accounts.get(account.id) ?? new Map()
      accounts.set(account.id, counts)
      return decide(counts, quotasOf(account, rules), now)
    },
    async look(account, rules, now) {
      return measureUsage(accounts.get(account.id) ?? new Map(), quotasOf(account, rules), now())
    },
  }
}

export function expireAll(counts: RateCounts, now: number): void {
  for (const [rule, slots] of counts) {
    slots.expire(now)
    if (slots.count === 0) counts.delete(rule)
  }
}

function sweep(accounts: Map<string, RateCounts>, now: number): void {
  for (const [id, counts] of accounts) {
    expireAll(counts, now)
    if (counts.size === 0) accounts.delete(id)
  }
}

export const quotasOf = ({ rateFactor }: Limited, rules: readonly RateRule[]): readonly Quota[] =>
  rules.map(({ name, windowSeconds, quota }) => ({ name, windowMs: windowSeconds * 1000, quota: quota * rateFactor }))
