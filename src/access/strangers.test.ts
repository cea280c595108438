import { describe, expect, it } from 'vitest'
import { originOf, Strangers } from './strangers.ts'

const now = 1_000_000

describe('a stranger', () => {
  it('may try as often as the burst allows, then once in each stretch', () => {
    const strangers = new Strangers({ burst: 5, refillMs: 1_000 })
    for (let count = 0; count < 5; count++) expect(strangers.take('a', now)).toBe(0)
    expect(strangers.take('a', now)).toBe(1_000)
    expect(strangers.take('a', now + 400)).toBe(600)
    expect(strangers.take('a', now + 1_000)).toBe(0)
    expect(strangers.take('a', now + 1_000)).toBe(1_000)
    expect(strangers.take('a', now + 3_600_000)).toBe(0)
  })

  it('does not pay for another', () => {
    const strangers = new Strangers({ burst: 2, refillMs: 1_000 })
    for (let count = 0; count < 50; count++) strangers.take('a', now)
    expect(strangers.take('b', now)).toBe(0)
  })

  it('does not pay for hundreds of others, though all share a memory that does not grow', () => {
    const strangers = new Strangers({ burst: 2, refillMs: 1_000 })
    for (let other = 0; other < 500; other++) {
      for (let count = 0; count < 5; count++) strangers.take(`other ${other}`, now)
    }
    const refused = Array.from({ length: 500 }, (_, index) => strangers.take(`new ${index}`, now)).filter(Boolean)
    // One in a thousand shares both its slots; what the hash does is chance, so there is some room.
    expect(refused.length).toBeLessThan(20)
  })

  it('gets back what turned out well', () => {
    const strangers = new Strangers({ burst: 1, refillMs: 1_000 })
    for (let count = 0; count < 20; count++) {
      expect(strangers.take('a', now)).toBe(0)
      strangers.giveBack('a')
    }
  })

  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8:1:2::9', '2001:db8:1:2'],
    ['2001:db8::9', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
  ])('at %s is counted as %s', (address, origin) => {
    expect(originOf(address)).toBe(origin)
  })
})
