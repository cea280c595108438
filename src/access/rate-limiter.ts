import type { Account } from '../store/accounts.ts'
import type { Store } from '../store/open-store.ts'
import { changeRateState, findRateState } from '../store/rate-states.ts'
import { Batches } from '../store/batches.ts'
import { readCounts, writeCounts } from './rate-counts-text.ts'
import { decide, measureUsage, type RateCounts, type RateDecision, type Usage } from './rate-decision.ts'
import type { RateRule } from './rate-rules.ts'
import type { Quota } from './rate-slots.ts'

/** What limits need to know of an account. */
type Limited = Pick<Account, 'id' | 'rateFactor'>

/** Counts the requests of accounts. */
export type RateLimiter = {
  /** Counts one request against all the rules, or against none of them when one has no room. */
  take(account: Limited, rules: readonly RateRule[], now: () => number): Promise<RateDecision>
  /** Tells how far the rules are used, and counts nothing. */
  look(account: Limited, rules: readonly RateRule[], now: () => number): Promise<readonly Usage[]>
}

/** Counting stops here, for a bench. */
export const noLimits: RateLimiter = {
  take: async () => ({ standings: [], refusal: undefined }),
  look: async () => [],
}

const sweepMs = 60_000

/** For one node. */
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

type Question = { readonly quotas: readonly Quota[]; readonly now: () => number }

type Decided = RateDecision & { readonly at: number }

/** Some hundred bytes each; to forget them costs a query each. */
const refusalsMax = 10_000

/**
 * For nodes that share a database. What an account asks of a node at once is decided in one transaction, so one connection
 * and one wait for other nodes are enough for all of it. A refusal is remembered for as long as it is certain, so that
 * whoever does not heed it costs the database nothing. Nodes count with their own clocks: where those differ by a second,
 * a window may be a second short. The clock is read when the turn has come, so to wait for it makes no window shorter.
 */
export function countInStore(store: Store): RateLimiter {
  const batches = new Batches<Question, Decided>((accountId, questions) => takeFrom(store, accountId, questions))
  const refused = new Map<string, Decided>()
  return {
    async take(account, rules, now) {
      if (rules.length === 0) return { standings: [], refusal: undefined }
      // Another quota, after a change by the operator, is another question.
      const question = `${account.id} ${account.rateFactor} ${rules.map(({ name }) => name).join(' ')}`
      const known = refused.get(question)
      const stillRefused = known && later(known, now() - known.at)
      if (stillRefused) return stillRefused
      refused.delete(question)
      const decision = await batches.ask(account.id, { quotas: quotasOf(account, rules), now })
      if (decision.refusal) {
        if (refused.size >= refusalsMax) refused.clear()
        refused.set(question, decision)
      }
      return decision
    },
    async look(account, rules, now) {
      return measureUsage(toCounts(await findRateState(store, account.id)), quotasOf(account, rules), now())
    },
  }
}

async function takeFrom(store: Store, accountId: string, questions: readonly Question[]): Promise<readonly Decided[]> {
  let decisions: readonly Decided[] = []
  await changeRateState(store, accountId, (state) => {
    const counts = toCounts(state)
    decisions = questions.map(({ quotas, now }) => {
      const at = now()
      return { ...decide(counts, quotas, at), at }
    })
    if (decisions.every(({ refusal }) => refusal)) return undefined
    expireAll(counts, decisions.at(-1)?.at ?? 0)
    return writeCounts(counts)
  })
  return decisions
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

const toCounts = (state: string): RateCounts => (state === '' ? new Map() : readCounts(state))

function expireAll(counts: RateCounts, now: number): void {
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

const quotasOf = ({ rateFactor }: Limited, rules: readonly RateRule[]): readonly Quota[] =>
  rules.map(({ name, windowSeconds, quota }) => ({ name, windowMs: windowSeconds * 1000, quota: quota * rateFactor }))
