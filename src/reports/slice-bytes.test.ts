import { expect, it } from 'vitest'
import { sliceBytes } from './slice-bytes.ts'

it.each([
  [0, 0],
  [3, 4],
  [4, 11],
  [9, 9],
])('gives bytes %i to %i, and reads no more than it must', async (start, end) => {
  let isClosed = false
  const endless = async function* (): AsyncGenerator<Buffer> {
    try {
      for (let at = 0; ; at += 4) yield Buffer.from([at, at + 1, at + 2, at + 3])
    } finally {
      isClosed = true
    }
  }
  const bytes = Buffer.concat(await Array.fromAsync(sliceBytes(endless(), start, end)))
  expect([...bytes]).toEqual(Array.from({ length: end - start + 1 }, (_, index) => start + index))
  expect(isClosed).toBe(true)
})

it('fails where the bytes end too early', async () => {
  const three = async function* (): AsyncGenerator<Buffer> {
    yield Buffer.from([1, 2, 3])
  }
  await expect(Array.fromAsync(sliceBytes(three(), 1, 3))).rejects.toThrow('ended')
})
