import { describe, expect, it } from 'vitest'
import { originOf } from './throttle.ts'

describe('an address', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:0'],
    ['2001:0DB8:1:12ff::9', '2001:db8:1:1200'],
    ['2001:db8:1:1234::9', '2001:db8:1:1200'],
    ['2001:db8::9', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
  ])('%s is counted as %s', (address, origin) => {
    expect(originOf(address)).toBe(origin)
  })
})
