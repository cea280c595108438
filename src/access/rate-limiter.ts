import type { Account } from '../store/accounts.ts'
import type { Store } from '../store/open-store.ts'
import { readRateState, writeRateState } from '../store/rate-states.ts'
import { decide, type RateDecision, type RateLogs } from './rate-decision.ts'
import { RateLog, type Quota } from './rate-log.ts'
import { rateRules, type RateRule } from './rate-rules.ts'

/** Counts the requests of accounts. */
export type RateLimiter = {
  /** Counts one request against all the rules, or against none of them when one has no room. */
  take(account: Account, rules: readonly RateRule[], now: number): Promise<RateDecision>
}

/** Counting stops here, for a bench. */
export const noLimits: RateLimiter = { take: async () => ({ standings: [], refusal: undefined }) }

/** For one node. Memory holds the requests of the last minute, which the quotas themselves bound. */
export function countInMemory(): RateLimiter {
  const accounts = new Map<string, RateLogs>()
  let sweepAt = 0
  return {
    async take(account, rules, now) {
      if (now >= sweepAt || sweepAt > now + 2 * sweepMs) {
        sweep(accounts, now)
        sweepAt = now + sweepMs
      }
      const logs = accounts.get(account.id) ?? new Map<string, RateLog>()
      accounts.set(account.id, logs)
      return decide(logs, quotasOf(account, rules), now)
    },
  }
}

/**
 * For nodes that share a database. Each request reads its account's logs, decides, and writes them back only if nobody
 * has written meanwhile; if somebody has, it decides anew. A loser has always seen a winner use up a place, so the
 * quotas bound how often one can lose. Nodes count with their own clocks: where those differ by a second, a window may
 * be a second short.
 */
export function countInStore(store: Store): RateLimiter {
  return {
    async take(account, rules, now) {
      for (;;) {
        const { version, state } = await readRateState(store, account.id)
        const logs: RateLogs = new Map(Object.entries(state).map(([rule, times]) => [rule, new RateLog(times)]))
        const decision = decide(logs, quotasOf(account, rules), now)
        if (decision.refusal || rules.length === 0) return decision
        expireAll(logs, now)
        const next = { version, state: Object.fromEntries([...logs].map(([rule, log]) => [rule, log.toJSON()])) }
        if (await writeRateState(store, account.id, next)) return decision
      }
    },
  }
}

const sweepMs = 60_000

/** What no longer counts here counts nowhere. */
const longest: Quota = {
  name: 'longest',
  windowMs: 1000 * Math.max(...rateRules.map(({ windowSeconds }) => windowSeconds)),
  quota: 1,
}

function expireAll(logs: RateLogs, now: number): void {
  for (const [rule, log] of logs) {
    log.expire(longest, now)
    if (log.count === 0) logs.delete(rule)
  }
}

function sweep(accounts: Map<string, RateLogs>, now: number): void {
  for (const [id, logs] of accounts) {
    expireAll(logs, now)
    if (logs.size === 0) accounts.delete(id)
  }
}

const quotasOf = ({ rateFactor }: Account, rules: readonly RateRule[]): readonly Quota[] =>
  rules.map(({ name, windowSeconds, quota }) => ({ name, windowMs: windowSeconds * 1000, quota: quota * rateFactor }))
