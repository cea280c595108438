import { describe, expect, it } from 'vitest'
import { LineFull, WaitingLine } from './waiting-line.ts'

const never = new AbortController().signal
/** Lets everything happen that waits for nothing else. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

function open(places: number) {
  const line = new WaitingLine({ places, placesOfOthers: 1, waitingMax: 1_024, waitingOfNameMax: 64 })
  const entered: string[] = []
  const leaves = new Map<string, () => void>()
  const enter = async (name: string, signal = never) => {
    leaves.set(name, await line.enter(name.slice(0, 1), signal))
    entered.push(name)
  }
  const leave = async (name: string) => {
    leaves.get(name)!()
    await settle()
  }
  return { entered, enter, leave }
}

describe('a waiting line', () => {
  it('admits as many as there are places, and one more of another account', async () => {
    const { entered, enter, leave } = open(2)
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']) void enter(name)
    await settle()
    expect(entered).toEqual(['a1', 'a2', 'b1'])
    await leave('a1')
    expect(entered).toEqual(['a1', 'a2', 'b1', 'c1'])
  })

  it('admits accounts in turn, and callers of one account in the order of their arrival', async () => {
    const { entered, enter, leave } = open(1)
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) void enter(name)
    await settle()
    for (const name of ['a1', 'b1', 'a2', 'c1', 'b2', 'a3']) {
      expect(entered).toContain(name)
      await leave(name)
    }
    expect(entered).toHaveLength(6)
  })

  it('skips callers that give up', async () => {
    const { entered, enter, leave } = open(1)
    const caller = new AbortController()
    void enter('a1')
    const gone = enter('a2', caller.signal)
    void enter('a3')
    caller.abort(new Error('gone'))
    await expect(gone).rejects.toThrow('gone')
    await leave('a1')
    expect(entered).toEqual(['a1', 'a3'])
    await expect(enter('a4', caller.signal)).rejects.toThrow('gone')
  })

  it('limits how many callers wait, of each account and in all', async () => {
    const { enter } = open(1)
    const outcomes = await Promise.all(
      Array.from({ length: 66 }, () =>
        Promise.race([
          enter('a').then(
            () => 'in',
            (error) => (error instanceof LineFull ? 'full' : 'failed'),
          ),
          settle().then(() => 'waits'),
        ]),
      ),
    )
    expect(outcomes.filter((outcome) => outcome === 'in')).toHaveLength(1)
    expect(outcomes.filter((outcome) => outcome === 'waits')).toHaveLength(64)
    expect(outcomes.filter((outcome) => outcome === 'full')).toHaveLength(1)
    await expect(enter('b')).resolves.toBeUndefined()
  })
})
