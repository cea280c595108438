import { describe, expect, test } from 'vitest'
import { formatUntil } from './format-until.ts'

const now = Date.parse('2026-11-19T12:00:00Z')

describe('how far away a moment is', () => {
  test.each([
    ['2026-11-19T12:00:00.400Z', 'in 1 second'],
    ['2026-11-19T12:01:29Z', 'in 89 seconds'],
    ['2026-11-19T12:01:30Z', 'in 2 minutes'],
    ['2026-11-19T13:30:00Z', 'in 2 hours'],
    ['2026-11-20T12:00:00Z', 'in 24 hours'],
    ['2026-12-03T12:00:00Z', 'in 14 days'],
    ['2026-11-19T11:00:00Z', 'in 0 seconds'],
  ])('%s is %s', (iso, words) => {
    expect(formatUntil(iso, now)).toBe(words)
  })
})
