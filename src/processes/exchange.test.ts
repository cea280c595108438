import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import { answer, Exchange, type Asked } from './exchange.ts'

/** The two ends of a channel, which copies what it carries, later and in order, as between processes. */
function openChannel() {
  const [here, there] = [new EventEmitter(), new EventEmitter()]
  const portOf = (own: EventEmitter, other: EventEmitter) =>
    Object.assign(own, {
      send(message: unknown) {
        const copy = structuredClone(message)
        queueMicrotask(() => other.emit('message', copy))
        return true
      },
    })
  const close = () => [here, there].forEach((each) => each.emit('disconnect'))
  return { here: portOf(here, there), there: portOf(there, here), close }
}

const told: string[] = []
const signals: AbortSignal[] = []
const service = {
  double: async (number: number) => 2 * number,
  say: (word: string) => void told.push(word),
  fail: () => {
    // Nothing that hangs on it can be copied.
    throw Object.assign(new TypeError('no such luck', { cause: () => {} }), { code: 'ELUCK' })
  },
  wait: async (_: undefined, { signal, begin }: Asked) => {
    signals.push(signal)
    begin()
    const { promise, resolve } = Promise.withResolvers<string>()
    signal.addEventListener('abort', () => resolve('given up'))
    return promise
  },
}

function open() {
  const { here, there, close } = openChannel()
  answer(there, service)
  return { other: new Exchange<typeof service>(here), close }
}

it('each question gets its own answer', async () => {
  const { other } = open()
  expect(await Promise.all([1, 2, 3].map((number) => other.ask('double', number)))).toEqual([2, 4, 6])
  other.tell('say', 'hello')
  await other.ask('double', 0)
  expect(told).toEqual(['hello'])
})

it('an error arrives as one, with the whole of its text', async () => {
  const error: unknown = await open()
    .other.ask('fail', undefined)
    .catch((each: unknown) => each)
  expect(error).toBeInstanceOf(Error)
  expect(error).toMatchObject({
    message: 'no such luck',
    stack: expect.stringMatching(/^TypeError[^]*exchange\.test[^]*ELUCK/),
  })
})

it('a question that is given up is answered all the same, also where that was before it was sent', async () => {
  const stop = new AbortController()
  const { other } = open()
  const asked = other.ask('wait', undefined, { signal: stop.signal, onBegin: () => stop.abort() })
  expect(await asked).toBe('given up')
  expect(await other.ask('wait', undefined, { signal: AbortSignal.abort() })).toBe('given up')
})

it('when one side is gone, the other gives up what it is asked, and is told that nobody answers', async () => {
  const { other, close } = open()
  const asked = other.ask('wait', undefined, { onBegin: close })
  await expect(asked).rejects.toThrow('The other process has ended.')
  expect(signals.at(-1)?.aborted).toBe(true)
})
