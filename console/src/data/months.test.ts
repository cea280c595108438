import { describe, expect, test } from 'vitest'
import { listMonths, listWeeks, sumRows } from './months.ts'

const loadedDay = (day: string, rows: number | null = 10) => ({ day, rows, loads: 1 })

describe('months', () => {
  test('hold every day between two, the newest month first', () => {
    const months = listMonths('2026-09-29', '2026-11-02', [loadedDay('2026-10-31'), loadedDay('2026-11-02')])
    expect(months.map(({ start, days }) => [start, days.length])).toEqual([
      ['2026-11-01', 2],
      ['2026-10-01', 31],
      ['2026-09-01', 2],
    ])
    expect(months[0]?.days.map(({ loaded }) => loaded?.rows)).toEqual([undefined, 10])
    expect(months[1]?.days.at(-1)?.loaded?.rows).toBe(10)
  })

  test('are laid out in weeks from Monday', () => {
    // November 2026 begins on a Sunday.
    const [november] = listMonths('2026-11-01', '2026-11-09', [])
    const weeks = listWeeks(november!).map((week) => week.map((cell) => cell?.day.slice(8)))
    expect(weeks).toEqual([
      [undefined, undefined, undefined, undefined, undefined, undefined, '01'],
      ['02', '03', '04', '05', '06', '07', '08'],
      ['09', undefined, undefined, undefined, undefined, undefined, undefined],
    ])
    const [later] = listMonths('2026-11-04', '2026-11-05', [])
    expect(listWeeks(later!).map((week) => week.map((cell) => cell?.day.slice(8)))).toEqual([
      [undefined, undefined, '04', '05', undefined, undefined, undefined],
    ])
  })

  test('add up their rows where all are known', () => {
    const sums = (rows: number | null) =>
      listMonths('2026-11-01', '2026-11-03', [loadedDay('2026-11-01', 5), loadedDay('2026-11-02', rows)]).map(sumRows)
    expect(sums(7)).toEqual([12])
    expect(sums(null)).toEqual([undefined])
  })
})
