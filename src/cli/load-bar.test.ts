import { describe, expect, it } from 'vitest'
import { LoadBar } from './load-bar.ts'

const one = { file: 1, files: 1, name: 'day.csv' }

function open(output: { isTTY?: boolean; columns?: number }) {
  const written: string[] = []
  const clock = { seconds: 0 }
  const bar = new LoadBar({ ...output, write: (text) => written.push(text) }, () => clock.seconds * 1000)
  return { bar, clock, written }
}

describe('the progress of a load', () => {
  it('is a bar that moves in place for a person, and is wiped away at the end', () => {
    const { bar, clock, written } = open({ isTTY: true })
    bar.show({ ...one, rows: 0, share: 0 })
    clock.seconds = 10
    bar.show({ ...one, rows: 25_000, share: 0.25 })
    clock.seconds = 40
    bar.show({ ...one, rows: 100_000, share: 1 })
    bar.end()
    bar.end()
    expect(written).toEqual([
      '\r\u001B[K[........................]   0 %  0 rows  0 rows/s  day.csv',
      '\r\u001B[K[######..................]  25 %  25,000 rows  2,500 rows/s  30 s left  day.csv',
      '\r\u001B[K[########################] 100 %  100,000 rows  2,500 rows/s  0 s left  day.csv',
      '\r\u001B[K',
    ])
  })

  it('fits into one line of the terminal', () => {
    const { bar, written } = open({ isTTY: true, columns: 40 })
    bar.show({ ...one, name: 'x'.repeat(100), rows: 1, share: 0.5 })
    expect(written[0]!.replace('\r\u001B[K', '')).toHaveLength(39)
  })

  it('is a line every ten seconds for a file, and nothing to wipe away', () => {
    const { bar, clock, written } = open({})
    for (let half = 0; half < 50; half++) {
      clock.seconds = half / 2
      bar.show({ ...one, rows: half, share: undefined })
    }
    bar.end()
    expect(written).toEqual(['20 rows  2 rows/s  day.csv\n', '40 rows  2 rows/s  day.csv\n'])
  })

  it('tells the time left of the file at hand, once it can be told', () => {
    const { bar, clock, written } = open({ isTTY: true })
    const shown = (seconds: number, file: number, share: number | undefined) => {
      clock.seconds = seconds
      bar.show({ file, files: 2, name: 'day.csv', rows: 1, share })
      return written
        .at(-1)!
        .match(/ {2}(\S[^[]* left) {2}/)?.[1]
        ?.split('  ')
        .at(-1)
    }
    expect(shown(100, 1, 0)).toBeUndefined()
    expect(shown(101, 1, 0.5)).toBeUndefined()
    expect(shown(120, 1, 0.1)).toBe('3 min 0 s left')
    // The second has just begun, whatever the first took.
    expect(shown(200, 2, 0.01)).toBeUndefined()
    expect(shown(202, 2, undefined)).toBeUndefined()
    expect(shown(204, 2, 0.5)).toBe('4 s left')
    expect(written.at(-1)).toContain('day.csv (2 of 2)')
  })
})
