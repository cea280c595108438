import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readCounts, writeCounts } from './count-in-store.ts'
import { decide, type RateCounts, RateSlots } from './rate-decision.ts'
import { rateRules } from './rate-rules.ts'

describe('the stored counts of an account', () => {
  it('are what was stored', () => {
    const slot = fc.record({ gapMs: fc.integer({ min: 0, max: 70_000 }), count: fc.integer({ min: 1, max: 2 ** 40 }) })
    fc.assert(
      fc.property(fc.array(slot), fc.integer({ min: 0, max: 2 ** 45 }), (gaps, startAt) => {
        let lastAt = startAt
        const slots = gaps.map(({ gapMs, count }) => ({ lastAt: (lastAt += gapMs), count }))
        const counts: RateCounts = new Map(rateRules.map(({ name }) => [name, new RateSlots(60_000, slots)]))
        const read = readCounts(writeCounts(counts))
        expect([...read.keys()]).toEqual(rateRules.map(({ name }) => name))
        for (const { slots: each } of read.values()) expect(each).toEqual(slots)
      }),
    )
  })

  it('are none if an earlier version stored them as text', () => {
    expect(readCounts('{"get":"gPDQ0PEyAQ"}')).toEqual(new Map())
    expect(readCounts('')).toEqual(new Map())
  })

  it('fit into 6 KB with all rules used up at a hundred times the ordinary limits', () => {
    const counts: RateCounts = new Map()
    const start = Date.UTC(2026, 10, 14)
    for (const { name, windowSeconds, quota } of rateRules) {
      const rule = { name, windowMs: windowSeconds * 1000, quota: quota * 100 }
      // Spread over the whole of a window.
      for (let count = 0; count < rule.quota; count++) {
        const now = start + Math.floor((count * rule.windowMs) / rule.quota)
        decide(counts, [rule], now)
      }
      expect(decide(counts, [rule], start + rule.windowMs - 1).refusal).toBeDefined()
    }
    expect(writeCounts(counts).length).toBeLessThan(6_144)
  })
})
