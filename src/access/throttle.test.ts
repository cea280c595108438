import { describe, expect, it } from 'vitest'
import { Throttle } from './throttle.ts'

const now = 1_000_000

describe('a stranger', () => {
  it('may try as often as the burst allows, then once in each stretch', () => {
    const strangers = new Throttle({ burst: 5, refillMs: 1_000 })
    for (let count = 0; count < 5; count++) expect(strangers.take('a', now)).toBe(0)
    expect(strangers.take('a', now)).toBe(1_000)
    expect(strangers.take('a', now + 400)).toBe(600)
    expect(strangers.take('a', now + 1_000)).toBe(0)
    expect(strangers.take('a', now + 1_000)).toBe(1_000)
    expect(strangers.take('a', now + 3_600_000)).toBe(0)
  })

  it('does not pay for another', () => {
    const strangers = new Throttle({ burst: 2, refillMs: 1_000 })
    for (let count = 0; count < 50; count++) strangers.take('a', now)
    expect(strangers.take('b', now)).toBe(0)
  })

  it('does not pay for hundreds of others, though all share a memory that does not grow', () => {
    const strangers = new Throttle({ burst: 2, refillMs: 1_000 })
    for (let other = 0; other < 500; other++) {
      for (let count = 0; count < 5; count++) strangers.take(`other ${other}`, now)
    }
    const refused = Array.from({ length: 500 }, (_, index) => strangers.take(`new ${index}`, now)).filter(Boolean)
    // One in a thousand shares both its slots; what the hash does is chance, so there is some room.
    expect(refused.length).toBeLessThan(20)
  })

  it('gets back what turned out well', () => {
    const strangers = new Throttle({ burst: 1, refillMs: 1_000 })
    for (let count = 0; count < 20; count++) {
      expect(strangers.take('a', now)).toBe(0)
      strangers.undo('a')
    }
  })

  it('waits no longer than it would anyway when the clock is set back', () => {
    const strangers = new Throttle({ burst: 2, refillMs: 1_000 })
    for (let count = 0; count < 2; count++) strangers.take('a', now + 3_600_000)
    expect(strangers.take('a', now)).toBe(1_000)
    expect(strangers.take('a', now + 1_000)).toBe(0)
  })
})
