import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decide, type Quota, type RateCounts } from './rate-decision.ts'

/** Small ones, so that random requests fill them; windows that divide each other and windows that do not. */
const quotas: readonly Quota[] = [
  { name: 'a', windowMs: 1_000, quota: 3 },
  { name: 'b', windowMs: 2_500, quota: 4 },
  { name: 'c', windowMs: 6_000, quota: 7 },
]

/** Requests at any times, each under any of the rules. */
const requests = fc.array(
  fc.record({
    gapMs: fc.oneof(
      fc.integer({ min: 0, max: 60 }),
      fc.integer({ min: 0, max: 900 }),
      fc.constantFrom(1_000, 2_500, 6_000),
    ),
    /** Instead of the gap: as long as the last answer said, or until a quota must have room. */
    waits: fc.constantFrom('gap', 'gap', 'gap', 'told', 'free'),
    rules: fc.subarray([...quotas], { minLength: 1 }),
  }),
  { maxLength: 120 },
)

describe('several rules together', () => {
  it('never admit more than a quota in its window, nor refuse while all have room in a window and a slot', () => {
    fc.assert(
      fc.property(requests, (sequence) => {
        const counted: RateCounts = new Map()
        // The same told from scratch: all admitted requests, and a count of those that are not older than so long.
        const admitted: { at: number; rules: readonly Quota[] }[] = []
        let now = 1_000_000
        let toldMs = 0
        for (const { gapMs, waits, rules } of sequence) {
          const [first] = rules as [Quota]
          const blocker = admitted.filter(({ rules }) => rules.includes(first)).at(-first.quota)
          const freeAt = blocker ? blocker.at + first.windowMs + Math.ceil(first.windowMs / 60) : now
          now += waits === 'told' ? toldMs : waits === 'free' ? Math.max(0, freeAt - now) : gapMs
          const countIn = (rule: Quota, ms: number): number =>
            admitted.filter(({ at, rules }) => at > now - ms && rules.includes(rule)).length
          const countInWindow = (rule: Quota): number => countIn(rule, rule.windowMs)
          const countWithSlot = (rule: Quota): number => countIn(rule, rule.windowMs + rule.windowMs / 60)
          const mustPass = rules.every((rule) => countWithSlot(rule) < rule.quota)
          const { refusal, standings } = decide(counted, rules, now)
          if (mustPass) expect(refusal).toBeUndefined()
          if (!refusal) admitted.push({ at: now, rules })
          toldMs = refusal?.retryMs ?? Math.min(...standings.map(({ resetMs }) => resetMs))
          for (const rule of quotas) expect(countInWindow(rule)).toBeLessThanOrEqual(rule.quota)
          for (const [index, { remaining }] of standings.entries()) {
            const rule = rules[index]!
            expect(remaining).toBeLessThanOrEqual(rule.quota - countInWindow(rule))
            expect(remaining).toBeGreaterThanOrEqual(rule.quota - countWithSlot(rule))
          }
        }
      }),
      { numRuns: 500 },
    )
  })

  it('give requests back to the millisecond to those who send them apart', () => {
    const [, b] = quotas as [Quota, Quota]
    const counted: RateCounts = new Map()
    // At the exact pace of the quota, for ever.
    for (let now = 7; now < 100_000; now += b.windowMs / b.quota) {
      expect(decide(counted, [b], now).refusal).toBeUndefined()
      if (now > b.windowMs) expect(decide(counted, [b], now + 1).refusal).toBeDefined()
    }
  })

  it('refuse until exactly the time they name, and no longer', () => {
    fc.assert(
      fc.property(requests, (sequence) => {
        const counted: RateCounts = new Map()
        let now = 1_000_000
        for (const { gapMs, rules } of sequence) {
          now += gapMs
          const { refusal } = decide(counted, rules, now)
          if (!refusal) continue
          expect(decide(counted, rules, now + refusal.retryMs - 1).refusal).toBeDefined()
          now += refusal.retryMs
          expect(decide(counted, rules, now).refusal).toBeUndefined()
        }
      }),
      { numRuns: 500 },
    )
  })

  it('count nothing against any when one refuses', () => {
    const counted: RateCounts = new Map()
    const [a, b] = quotas as [Quota, Quota]
    for (let count = 0; count < 3; count++) expect(decide(counted, [a], 0).refusal).toBeUndefined()
    for (let count = 0; count < 50; count++) expect(decide(counted, [a, b], 0).refusal).toBeDefined()
    expect(decide(counted, [b], 0).standings).toMatchObject([{ name: 'b', remaining: 3 }])
  })

  it('block no longer than a window when the clock is set back', () => {
    const counted: RateCounts = new Map()
    const [a] = quotas as [Quota]
    const later = 10_000_000
    for (let count = 0; count < 3; count++) decide(counted, [a], later)
    expect(decide(counted, [a], 1_000).refusal).toMatchObject({ retryMs: 1_000 })
    expect(decide(counted, [a], 2_000).refusal).toBeUndefined()
  })

  it('apply a lower quota at once, and a higher one too', () => {
    const counted: RateCounts = new Map()
    const high = { name: 'x', windowMs: 1_000, quota: 10 }
    for (let now = 0; now < 10; now++) expect(decide(counted, [high], now).refusal).toBeUndefined()
    // With a quota of 2, nine of the ten must be over. All are in one slot, which leaves with its last at 9 + 1,000.
    expect(decide(counted, [{ ...high, quota: 2 }], 10).refusal).toMatchObject({ retryMs: 999 })
    expect(decide(counted, [{ ...high, quota: 11 }], 10).refusal).toBeUndefined()
  })
})
