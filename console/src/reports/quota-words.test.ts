import { expect, test } from 'vitest'
import { formatTime } from '../parts/format.ts'
import { describeQuota } from './quota-words.ts'

const now = Date.parse('2026-11-19T12:00:00Z')

test('how many reports were started is told, and when the next is free only where none is', () => {
  expect(describeQuota({ limit: 10, used: 2, next_free_at: null }, now)).toBe(
    '2 of 10 reports started in the last 24 hours.',
  )
  const nextFreeAt = '2026-11-19T14:05:00.000Z'
  expect(describeQuota({ limit: 10, used: 10, next_free_at: nextFreeAt }, now)).toBe(
    `10 of 10 reports started in the last 24 hours. You can start the next one in 3 hours, at ${formatTime(nextFreeAt)}.`,
  )
})
