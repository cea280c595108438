import { LRUCache } from 'lru-cache'
import { Batches } from '../store/batches.ts'
import type { Store } from '../store/open-store.ts'
import { decide, measureUsage, type Quota, type RateCounts, type RateDecision, RateSlots } from './rate-decision.ts'
import { expireAll, quotasOf, type RateLimiter } from './rate-limiter.ts'
import { rateRules } from './rate-rules.ts'

type Question = { readonly quotas: readonly Quota[]; readonly now: () => number }

type Decided = RateDecision & { readonly at: number }

/** An entry has some hundred bytes. An evicted one costs a query. */
const refusalsMax = 10_000

/**
 * Counts for nodes that share a database. Requests of an account that come to a node together are decided in one
 * transaction. A refusal is remembered for as long as it is certain, so that a caller who ignores it costs the database
 * nothing. The clock is read in the transaction, so that waiting for it does not shorten the window.
 */
export function countInStore(store: Store): RateLimiter {
  const batches = new Batches<Question, Decided>((accountId, questions) => takeFrom(store, accountId, questions))
  const refused = new LRUCache<string, Decided>({ max: refusalsMax })
  return {
    async take(account, rules, now) {
      if (rules.length === 0) return { standings: [], refusal: undefined }
      // With the factor, because the operator may change the quotas.
      const question = `${account.id} ${account.rateFactor} ${rules.map(({ name }) => name).join(' ')}`
      const known = refused.get(question)
      const stillRefused = known && later(known, now() - known.at)
      if (stillRefused) return stillRefused
      refused.delete(question)
      const decision = await batches.ask(account.id, { quotas: quotasOf(account, rules), now })
      if (decision.refusal) refused.set(question, decision)
      return decision
    },
    async look(account, rules, now) {
      const row = await store
        .selectFrom('rateStates')
        .select('state')
        .where('accountId', '=', account.id)
        .executeTakeFirst()
      return measureUsage(readCounts(row?.state ?? ''), quotasOf(account, rules), now())
    },
  }
}

/** Decides requests of an account in one transaction that locks its row, so that nodes wait for each other. */
function takeFrom(store: Store, accountId: string, questions: readonly Question[]): Promise<readonly Decided[]> {
  return store.transaction().execute(async (transaction) => {
    const { state } = await transaction
      .insertInto('rateStates')
      .values({ accountId, state: '' })
      // A write that changes nothing locks the row in both databases, and returns it.
      .onConflict((conflict) =>
        conflict.column('accountId').doUpdateSet((sql) => ({ state: sql.ref('rateStates.state') })),
      )
      .returning('state')
      .executeTakeFirstOrThrow()
    const counts = readCounts(state)
    const decisions = questions.map(({ quotas, now }) => {
      const at = now()
      return { ...decide(counts, quotas, at), at }
    })
    if (decisions.every(({ refusal }) => refusal)) return decisions
    expireAll(counts, decisions.at(-1)?.at ?? 0)
    const next = writeCounts(counts)
    await transaction.updateTable('rateStates').set({ state: next }).where('accountId', '=', accountId).execute()
    return decisions
  })
}

/** Moves a refusal on in time; returns undefined if it may have ended. */
function later({ refusal, standings }: RateDecision, elapsedMs: number): RateDecision | undefined {
  if (!refusal || elapsedMs < 0 || elapsedMs >= refusal.retryMs) return undefined
  return {
    refusal: { rule: refusal.rule, retryMs: refusal.retryMs - elapsedMs },
    // Other rules may have more left by now, but to read them is not worth a query.
    standings: standings.map((each) => ({ ...each, resetMs: Math.max(0, each.resetMs - elapsedMs) })),
  }
}

/** Writes counts as JSON: for each rule, milliseconds since the slot before and requests, in turn. */
export function writeCounts(counts: RateCounts): string {
  const rules = [...counts].map(([name, { slots }]) => {
    const numbers = slots.flatMap(({ lastAt, count }, index) => [lastAt - (slots[index - 1]?.lastAt ?? 0), count])
    return [name, numbers] as const
  })
  return JSON.stringify(Object.fromEntries(rules))
}

/** Reads counts. Rules that no longer exist, and the text in which an earlier version stored slots, are ignored. */
export function readCounts(text: string): RateCounts {
  const stored = JSON.parse(text || '{}') as Readonly<Record<string, readonly number[] | string>>
  const counts: RateCounts = new Map()
  for (const { name, windowSeconds } of rateRules) {
    const numbers = stored[name]
    if (!Array.isArray(numbers)) continue
    let lastAt = 0
    const slots = Array.from({ length: numbers.length / 2 }, (_, index) => {
      lastAt += numbers[2 * index]
      return { lastAt, count: numbers[2 * index + 1] }
    })
    counts.set(name, new RateSlots(windowSeconds * 1000, slots))
  }
  return counts
}
