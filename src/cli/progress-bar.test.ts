import { describe, expect, it } from 'vitest'
import { ProgressBar } from './progress-bar.ts'

function open(output: { isTTY?: boolean; columns?: number }) {
  const written: string[] = []
  const clock = { seconds: 0 }
  const bar = new ProgressBar({ ...output, write: (text) => written.push(text) }, () => clock.seconds * 1000)
  return { bar, clock, written }
}

describe('progress', () => {
  it('is shown on a terminal that reports no width', () => {
    const { bar, written } = open({ isTTY: true, columns: 0 })
    bar.show({ step: 'Reading', share: 0 })
    expect(written).toEqual(['\r\u001B[K[........................]   0 %  Reading'])
  })

  it('is a bar that moves on a terminal, and is cleared at the end', () => {
    const { bar, clock, written } = open({ isTTY: true })
    bar.show({ step: 'Fetching', share: undefined, name: 'day.csv' })
    bar.show({ step: 'Reading', share: 0 })
    clock.seconds = 10
    bar.show({ step: 'Reading', share: 0.25 })
    clock.seconds = 40
    bar.show({ step: 'Reading', share: 1 })
    bar.end()
    bar.end()
    expect(written).toEqual([
      '\r\u001B[KFetching day.csv',
      '\r\u001B[K[........................]   0 %  Reading',
      '\r\u001B[K[######..................]  25 %  Reading  30 s left',
      '\r\u001B[K[########################] 100 %  Reading',
      '\r\u001B[K',
    ])
  })

  it('fits into one line of the terminal', () => {
    const { bar, written } = open({ isTTY: true, columns: 40 })
    bar.show({ step: 'Fetching', name: 'x'.repeat(100), share: 0.5 })
    expect(written[0]!.replace('\r\u001B[K', '')).toHaveLength(39)
  })

  it('is a line every ten seconds in a file', () => {
    const { bar, clock, written } = open({})
    for (let half = 0; half < 50; half++) {
      clock.seconds = half / 2
      bar.show({ step: 'Writing', share: half / 100 })
    }
    bar.end()
    expect(written).toEqual([
      '[#####...................]  20 %  Writing  40 s left\n',
      '[##########..............]  40 %  Writing  30 s left\n',
    ])
  })

  it('shows the time left of the current step, once it can be estimated', () => {
    const { bar, clock, written } = open({ isTTY: true })
    const shown = (seconds: number, step: string, share: number) => {
      clock.seconds = seconds
      bar.show({ step, share })
      return / {2}(\S+( \S+)* left)$/.exec(written.at(-1)!)?.[1]
    }
    expect(shown(100, 'Reading', 0)).toBeUndefined()
    expect(shown(101, 'Reading', 0.5)).toBeUndefined()
    expect(shown(120, 'Reading', 0.1)).toBe('3 min 0 s left')
    // The time of the first step does not count.
    expect(shown(200, 'Writing', 0.01)).toBeUndefined()
    expect(shown(204, 'Writing', 0.5)).toBe('4 s left')
  })
})
