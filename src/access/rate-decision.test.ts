import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RateLog, Quota } from './rate-log.ts'
import { decide } from './rate-decision.ts'

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
      fc.integer({ min: 0, max: 5 }),
      fc.integer({ min: 0, max: 900 }),
      fc.constantFrom(1_000, 2_500, 6_000),
    ),
    rules: fc.subarray([...quotas], { minLength: 1 }),
  }),
  { maxLength: 120 },
)

describe('several rules together', () => {
  it('never admit more than a quota in its window, nor refuse while all have room, whenever requests come', () => {
    fc.assert(
      fc.property(requests, (sequence) => {
        const logs = new Map<string, RateLog>()
        // The same told from scratch: all admitted requests, and a count of those within the window.
        const admitted: { at: number; rules: readonly Quota[] }[] = []
        let now = 1_000_000
        for (const { gapMs, rules } of sequence) {
          now += gapMs
          const countIn = (rule: Quota): number =>
            admitted.filter(({ at, rules }) => at > now - rule.windowMs && rules.includes(rule)).length
          const counts = rules.map(countIn)
          const hasRoom = rules.every((rule, index) => counts[index]! < rule.quota)
          const { refusal, standings } = decide(logs, rules, now)
          expect(refusal === undefined).toBe(hasRoom)
          if (hasRoom) admitted.push({ at: now, rules })
          for (const rule of quotas) expect(countIn(rule)).toBeLessThanOrEqual(rule.quota)
          expect(standings.map(({ remaining }) => remaining)).toEqual(rules.map((rule) => rule.quota - countIn(rule)))
        }
      }),
      { numRuns: 500 },
    )
  })

  it('refuse until exactly the time they name, and no longer', () => {
    fc.assert(
      fc.property(requests, (sequence) => {
        const logs = new Map<string, RateLog>()
        let now = 1_000_000
        for (const { gapMs, rules } of sequence) {
          now += gapMs
          const { refusal } = decide(logs, rules, now)
          if (!refusal) continue
          expect(decide(logs, rules, now + refusal.retryMs - 1).refusal).toBeDefined()
          now += refusal.retryMs
          expect(decide(logs, rules, now).refusal).toBeUndefined()
        }
      }),
      { numRuns: 500 },
    )
  })

  it('count nothing against any when one refuses', () => {
    const logs = new Map<string, RateLog>()
    const [a, b] = quotas as [Quota, Quota]
    for (let count = 0; count < 3; count++) expect(decide(logs, [a], 0).refusal).toBeUndefined()
    for (let count = 0; count < 50; count++) expect(decide(logs, [a, b], 0).refusal).toBeDefined()
    expect(decide(logs, [b], 0).standings).toMatchObject([{ name: 'b', remaining: 3 }])
  })

  it('block no longer than a window when the clock is set back', () => {
    const logs = new Map<string, RateLog>()
    const [a] = quotas as [Quota]
    const later = 10_000_000
    for (let count = 0; count < 3; count++) decide(logs, [a], later)
    expect(decide(logs, [a], 1_000).refusal).toMatchObject({ retryMs: 1_000 })
    expect(decide(logs, [a], 2_000).refusal).toBeUndefined()
  })

  it('apply a lower quota at once, and a higher one too', () => {
    const logs = new Map<string, RateLog>()
    const high = { name: 'x', windowMs: 1_000, quota: 10 }
    for (let now = 0; now < 10; now++) expect(decide(logs, [high], now).refusal).toBeUndefined()
    // With a quota of 2, eight of the ten and one more must be over: the ninth leaves at 8 + 1,000.
    expect(decide(logs, [{ ...high, quota: 2 }], 10).refusal).toMatchObject({ retryMs: 998 })
    expect(decide(logs, [{ ...high, quota: 11 }], 10).refusal).toBeUndefined()
  })
})
