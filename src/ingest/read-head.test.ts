import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { peek, readCsvHeader } from './read-head.ts'
import { join, Meter } from './unpack.ts'

describe('the header of CSV', () => {
  const read = (text: string, isAll = true) => readCsvHeader(Buffer.from(text), isAll)

  it.each([
    ['account,day\na,b\n', ['account', 'day']],
    ['account,day\r\na,b\r\n', ['account', 'day']],
    ['account,day\ra,b\r', ['account', 'day']],
    ['\uFEFFaccount,day\n', ['account', 'day']],
    ['\uFEFF"account","day"\n', ['account', 'day']],
    ['"App, or ""Site""",day\n', ['App, or "Site"', 'day']],
    ['"two\nlines",day\n', ['two\nlines', 'day']],
    ['account,,day,\n', ['account', '', 'day', '']],
    ['account', ['account']],
    ['ünïcode,😀\n', ['ünïcode', '😀']],
  ])('%j is read as it is meant', (text, fields) => {
    expect(read(text)).toEqual(fields)
  })

  it('that is cut by the end of what was looked at is not taken for whole', () => {
    const text = 'account,"a day"\nx,y\n'
    for (let length = 0; length < text.indexOf('\n'); length++)
      expect(read(text.slice(0, length), false)).toBeUndefined()
    expect(read(text.slice(0, text.indexOf('\n') + 1), false)).toEqual(['account', 'a day'])
  })

  it.each(['"account,day\n', '"account"x,day\n', 'acc"ount,day\n'])('%j is none', (text) => {
    expect(read(text)).toBeUndefined()
  })
})

describe('a look at the first bytes', () => {
  const content = Buffer.from(Array.from({ length: 5_000 }, (_, index) => index % 251))
  const chunksOf = (size: number): Buffer[] =>
    Array.from({ length: Math.ceil(content.length / size) }, (_, index) =>
      content.subarray(index * size, (index + 1) * size),
    )

  it.each([0, 1, 4, 1_000, 4_999, 5_000, 5_001, 100_000])('takes nothing away: %i of 5,000', async (bytes) => {
    for (const size of [1, 7, 1_000, 5_000]) {
      const { head, stream } = await peek(Readable.from(chunksOf(size), { objectMode: false }), bytes)
      expect(head.length).toBeGreaterThanOrEqual(Math.min(bytes, content.length))
      expect(content.subarray(0, head.length).equals(head)).toBe(true)
      expect((await buffer(stream)).equals(content)).toBe(true)
    }
  })

  it('can be had of nothing', async () => {
    const { head, stream } = await peek(Readable.from([], { objectMode: false }), 4)
    expect(head.length).toBe(0)
    expect((await buffer(stream)).length).toBe(0)
  })

  it('can be had twice, and of text that is measured on its way', async () => {
    const meter = new Meter()
    const first = await peek(join(Readable.from(['ab', 'cé', '😀']), meter), 3)
    const second = await peek(first.stream, 6)
    expect(String(await buffer(second.stream))).toBe('abcé😀')
    expect(meter.bytes).toBe(9)
    expect(meter.digest()).toMatch(/^[0-9a-f]{64}$/)
  })

  it('passes on what goes wrong, before and after', async () => {
    const failing = (after: number): Readable =>
      Readable.from(
        (async function* () {
          for (const chunk of chunksOf(100).slice(0, after)) yield chunk
          throw new Error('the disk is gone')
        })(),
        { objectMode: false },
      )
    await expect(peek(failing(1), 1_000)).rejects.toThrow('the disk is gone')
    const { stream } = await peek(failing(20), 1_000)
    await expect(buffer(stream)).rejects.toThrow('the disk is gone')
  })

  it('closes the file when its reader goes', async () => {
    const file = Readable.from(chunksOf(10), { objectMode: false })
    const { stream } = await peek(file, 100)
    const closed = new Promise((resolve) => file.once('close', resolve))
    stream.once('data', () => stream.destroy())
    await closed
    expect(file.destroyed).toBe(true)
  })
})
