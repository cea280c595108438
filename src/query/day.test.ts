import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addDays, addMonths, countDays, dayOf, isDay } from './day.ts'

const day = fc
  .date({ min: new Date('1970-01-01'), max: new Date('2199-12-31'), noInvalidDate: true })
  .map((date) => dayOf(date.getTime()))

describe('a text', () => {
  it.each(['2026-11-14', '2024-02-29', '2000-02-29', '2026-12-31', '1970-01-01'])('%j is a day', (text) => {
    expect(isDay(text)).toBe(true)
  })

  it.each([
    '2026-02-30',
    '2026-02-29',
    '2100-02-29',
    '2026-04-31',
    '2026-13-01',
    '2026-00-10',
    '2026-01-00',
    '2026-01-32',
  ])('%j is no day, because there is no such date', (text) => {
    expect(isDay(text)).toBe(false)
  })

  it.each([
    '',
    ' 2026-11-14',
    '2026-11-14 ',
    '2026-11-14\n',
    '2026-2-3',
    '20261114',
    '2026/11/14',
    '14-11-2026',
    '2026-11-14T00:00:00Z',
    '+002026-11-14',
    '２０２６-11-14',
    'today',
  ])('%j is no day, because it is not in the form yyyy-MM-DD', (text) => {
    expect(isDay(text)).toBe(false)
  })

  it('is a day exactly when it is one that a time falls on', () => {
    fc.assert(fc.property(day, (each) => isDay(each)))
    const parts = fc.tuple(fc.integer({ min: 1970, max: 2199 }), fc.nat({ max: 99 }), fc.nat({ max: 99 }))
    fc.assert(
      fc.property(parts, ([year, month, date]) => {
        const pad = (number: number) => String(number).padStart(2, '0')
        const lastDates = [31, year % 400 === 0 || (year % 4 === 0 && year % 100 !== 0) ? 29 : 28]
        lastDates.push(31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
        const exists = date >= 1 && date <= (lastDates[month - 1] ?? 0)
        expect(isDay(`${year}-${pad(month)}-${pad(date)}`)).toBe(exists)
      }),
    )
  })
})

describe('a time', () => {
  it('belongs to its UTC day, from the first millisecond to the last', () => {
    expect(dayOf(Date.UTC(2026, 10, 14))).toBe('2026-11-14')
    expect(dayOf(Date.UTC(2026, 10, 15) - 1)).toBe('2026-11-14')
  })
})

describe('the same date of another month', () => {
  it.each([
    ['2026-11-14', 1, '2026-12-14'],
    ['2026-11-14', 2, '2027-01-14'],
    ['2026-11-14', 0, '2026-11-14'],
    ['2026-11-14', -13, '2025-10-14'],
    ['2026-01-14', -13, '2024-12-14'],
    ['2026-11-14', -12, '2025-11-14'],
  ])('of %s by %i months is %s', (from, months, to) => {
    expect(addMonths(from, months)).toBe(to)
  })

  it.each([
    ['2026-03-31', -1, '2026-02-28'],
    ['2024-03-31', -1, '2024-02-29'],
    ['2026-08-31', 6, '2027-02-28'],
    ['2027-08-31', 6, '2028-02-29'],
    ['2024-02-29', 12, '2025-02-28'],
    ['2024-02-29', 48, '2028-02-29'],
    ['2025-03-31', -13, '2024-02-29'],
    ['2026-03-31', -13, '2025-02-28'],
    ['2026-05-31', 1, '2026-06-30'],
    ['2026-12-31', 2, '2027-02-28'],
  ])('is the last day of a shorter month: %s by %i months is %s', (from, months, to) => {
    expect(addMonths(from, months)).toBe(to)
  })

  it('is never in another month than the one asked for, and never a later date', () => {
    const monthOf = (each: string) => Number(each.slice(0, 4)) * 12 + Number(each.slice(5, 7))
    const dateOf = (each: string) => Number(each.slice(8))
    fc.assert(
      fc.property(day, fc.integer({ min: -600, max: 600 }), (from, months) => {
        const to = addMonths(from, months)
        expect(isDay(to)).toBe(true)
        expect(monthOf(to) - monthOf(from)).toBe(months)
        expect(dateOf(to)).toBeLessThanOrEqual(dateOf(from))
        // A date that was cut off is the last one of its month.
        if (dateOf(to) < dateOf(from)) expect(dateOf(addDays(to, 1))).toBe(1)
      }),
    )
  })

  it('is never earlier for a later day', () => {
    fc.assert(
      fc.property(day, fc.nat({ max: 100 }), fc.integer({ min: -24, max: 24 }), (from, later, months) => {
        expect(addMonths(addDays(from, later), months) >= addMonths(from, months)).toBe(true)
      }),
    )
  })
})

describe('the number of days of a range', () => {
  it.each([
    ['2026-11-14', '2026-11-14', 1],
    ['2026-11-01', '2026-11-14', 14],
    ['2026-02-28', '2026-03-01', 2],
    ['2024-02-28', '2024-03-01', 3],
    ['2025-12-31', '2026-01-01', 2],
    ['2026-01-01', '2026-12-31', 365],
    ['2024-01-01', '2024-12-31', 366],
  ])('from %s to %s counts both ends: %i', (start, end, days) => {
    expect(countDays(start, end)).toBe(days)
  })

  it('is one more than the days from the first to the last', () => {
    fc.assert(
      fc.property(day, fc.nat({ max: 5_000 }), (start, days) => {
        expect(countDays(start, addDays(start, days))).toBe(days + 1)
      }),
    )
  })

  it('can be walked back again, and days sort as their texts do', () => {
    fc.assert(
      fc.property(day, fc.integer({ min: 1, max: 5_000 }), (start, days) => {
        expect(addDays(addDays(start, days), -days)).toBe(start)
        expect(addDays(start, days) > start).toBe(true)
      }),
    )
  })
})
