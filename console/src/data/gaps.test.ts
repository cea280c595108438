import { describe, expect, test } from 'vitest'
import { describeGaps, findGaps, gapsWithin } from './gaps.ts'

describe('missing days', () => {
  test('lie between the first loaded day and yesterday', () => {
    const loaded = ['2026-10-30', '2026-11-01', '2026-11-02', '2026-11-06']
    expect(findGaps(loaded, '2026-11-09')).toEqual([
      { start: '2026-10-31', end: '2026-10-31' },
      { start: '2026-11-03', end: '2026-11-05' },
      { start: '2026-11-07', end: '2026-11-08' },
    ])
  })

  test('are none where nothing is loaded, and none before the first day', () => {
    expect(findGaps([], '2026-11-09')).toEqual([])
    expect(findGaps(['2026-11-08'], '2026-11-09')).toEqual([])
    expect(findGaps(['2026-11-09'], '2026-11-09')).toEqual([])
  })

  test('are none with today loaded and all before it', () => {
    expect(findGaps(['2026-11-07', '2026-11-08', '2026-11-09'], '2026-11-09')).toEqual([])
  })

  test('are cut at the ends of a month', () => {
    const gaps = [
      { start: '2026-09-28', end: '2026-09-30' },
      { start: '2026-10-31', end: '2026-12-02' },
    ]
    expect(gapsWithin(gaps, '2026-11-01', '2026-11-30')).toEqual([{ start: '2026-11-01', end: '2026-11-30' }])
    expect(gapsWithin(gaps, '2026-10-01', '2026-10-31')).toEqual([{ start: '2026-10-31', end: '2026-10-31' }])
  })

  test('are named from the newest, and the oldest of many only counted', () => {
    const gaps = ['2026-11-01', '2026-11-03', '2026-11-05', '2026-11-07', '2026-11-09', '2026-11-11'].map((day) => ({
      start: day,
      end: day,
    }))
    expect(describeGaps(gaps)).toMatch(/^6 days are missing: Nov 11, 2026; .*Nov 3, 2026; and 1 more gap$/)
    expect(describeGaps([{ start: '2026-11-03', end: '2026-11-03' }])).toBe('1 day is missing: Nov 3, 2026')
    expect(describeGaps([])).toBe('No day is missing')
  })
})
