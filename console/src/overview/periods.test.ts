import { describe, expect, test } from 'vitest'
import { consoleBounds } from '../../../src/catalog/limits.ts'
import { addDays, countDays } from '../../../src/query/day.ts'
import { choosePeriods, countLoaded } from './periods.ts'

const today = '2026-11-19'
const daysUpTo = (last: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => addDays(last, index + 1 - count))

describe('the periods of the overview', () => {
  test('are the 14 days up to yesterday and the 14 before, also with today loaded', () => {
    const expected = {
      current: { start: '2026-11-05', end: '2026-11-18' },
      previous: { start: '2026-10-22', end: '2026-11-04' },
    }
    expect(choosePeriods(daysUpTo('2026-11-18', 60), today)).toEqual(expected)
    expect(choosePeriods(daysUpTo(today, 60), today)).toEqual(expected)
  })

  test('both end earlier while the last days are missing', () => {
    expect(choosePeriods(daysUpTo('2026-11-16', 60), today)).toEqual({
      current: { start: '2026-11-05', end: '2026-11-16' },
      previous: { start: '2026-10-22', end: '2026-11-02' },
    })
  })

  test('are none where nothing recent is loaded', () => {
    expect(choosePeriods([], today)).toBeUndefined()
    expect(choosePeriods([today], today)).toBeUndefined()
    expect(choosePeriods(daysUpTo('2026-11-04', 60), today)).toBeUndefined()
    expect(choosePeriods(daysUpTo('2026-11-05', 60), today)).toBeDefined()
  })

  test('stay within what the console may ask', () => {
    const { current, previous } = choosePeriods(daysUpTo(today, 60), today)!
    expect(countDays(current.start, current.end)).toBeLessThanOrEqual(consoleBounds.daysMax)
    const { available } = consoleBounds
    expect('days' in available && addDays(today, -available.days)).toBe(previous.start)
  })

  test('know how many of their days are loaded', () => {
    const loaded = ['2026-11-04', '2026-11-05', '2026-11-09', '2026-11-18', '2026-11-19']
    expect(countLoaded(loaded, { start: '2026-11-05', end: '2026-11-18' })).toBe(3)
  })
})
