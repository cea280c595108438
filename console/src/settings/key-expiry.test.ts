import { expect, test } from 'vitest'
import { needsRenewal } from './key-expiry.ts'

const key = {
  id: 'key_1',
  name: 'Nightly report',
  last_four: 'abcd',
  status: 'active' as const,
  created_at: '2026-06-03T12:00:00.000Z',
  expires_at: '2026-12-03T12:00:00.000Z',
  last_used_at: null,
}

test('a key needs its owner from 14 days before it expires', () => {
  expect(needsRenewal(key, Date.parse('2026-11-19T11:59:59Z'))).toBe(false)
  expect(needsRenewal(key, Date.parse('2026-11-19T12:00:00Z'))).toBe(true)
})

test('a key that the server calls expired needs its owner, whatever the time is here', () => {
  expect(needsRenewal({ ...key, status: 'expired' }, 0)).toBe(true)
})
