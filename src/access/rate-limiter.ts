import type { Account } from '../store/accounts.ts'
import type { Store } from '../store/open-store.ts'
import { readRateState, writeRateState } from '../store/rate-states.ts'
import { decide, type RateDecision, type RateLogs } from './rate-decision.ts'
import { RateLog, type Quota } from './rate-log.ts'
import { rateRules, type RateRule } from './rate-rules.ts'
import { Turns } from './turns.ts'

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
 * For nodes that share a database. Each request reads its account's logs, decides, and writes them back only if no
 * other node has written meanwhile; if one has, it decides anew. Within a node the requests of an account take turns, so
 * that only nodes compete, and a refusal is remembered for as long as it is certain, so that whoever does not heed it
 * costs the database nothing. Nodes count with their own clocks: where those differ by a second, a window may be a
 * second short.
 */
export function countInStore(store: Store): RateLimiter {
  const turns = new Turns()
  const refused = new Map<string, { readonly decision: RateDecision; readonly at: number }>()
  return {
    async take(account, rules, now) {
      if (rules.length === 0) return { standings: [], refusal: undefined }
      const quotas = quotasOf(account, rules)
      // Another quota, after a change by the operator, is another question.
      const question = `${account.id} ${account.rateFactor} ${rules.map(({ name }) => name).join(' ')}`
      return turns.take(account.id, async () => {
        const known = refused.get(question)
        const stillRefused = known && later(known.decision, now - known.at)
        if (stillRefused) return stillRefused
        refused.delete(question)
        const decision = await takeFrom(store, account.id, quotas, now)
        if (decision.refusal) {
          if (refused.size >= refusalsMax) refused.clear()
          refused.set(question, { decision, at: now })
        }
        return decision
      })
    },
  }
}

/** Some hundred bytes each; to forget them costs a query each. */
const refusalsMax = 10_000

async function takeFrom(store: Store, accountId: string, quotas: readonly Quota[], now: number): Promise<RateDecision> {
  for (;;) {
    const { version, state } = await readRateState(store, accountId)
    const logs: RateLogs = new Map(Object.entries(state).map(([rule, times]) => [rule, new RateLog(times)]))
    const decision = decide(logs, quotas, now)
    if (decision.refusal) return decision
    expireAll(logs, now)
    const next = { version, state: Object.fromEntries([...logs].map(([rule, log]) => [rule, log.toJSON()])) }
    if (await writeRateState(store, accountId, next)) return decision
  }
}

/** A refusal some time later, or undefined when it may be none any more. */
function later({ refusal, standings }: RateDecision, elapsedMs: number): RateDecision | undefined {
  if (!refusal || elapsedMs < 0 || elapsedMs >= refusal.retryMs) return undefined
  return {
    refusal: { rule: refusal.rule, retryMs: refusal.retryMs - elapsedMs },
    // A rule that gave a place back meanwhile has more left than this says; asking it costs more than it is worth.
    standings: standings.map((each) => ({ ...each, resetMs: Math.max(0, each.resetMs - elapsedMs) })),
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
