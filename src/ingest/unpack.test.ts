import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { join, Meter, peek, unpack } from './unpack.ts'

const content = Buffer.from('account,day,country\na,2026-11-14,"DE"\na,2026-11-14,FR\n')

const cut = (bytes: Buffer, size: number): Readable =>
  Readable.from(
    Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.subarray(index * size, (index + 1) * size),
    ),
    { objectMode: false },
  )
const unpackAll = async (packed: Buffer, size = packed.length || 1): Promise<Buffer> =>
  buffer((await unpack(cut(packed, size))).stream)

describe.each([
  ['gzip', gzipSync(content)],
  ['zstd', zstdCompressSync(content)],
  ['none', content],
])('what is packed with %s', (packing, packed) => {
  it('is recognised by its first bytes and unpacked, whatever the size of the chunks', async () => {
    expect((await unpack(cut(packed, packed.length))).isPacked).toBe(packing !== 'none')
    for (const size of [1, 3, packed.length]) expect((await unpackAll(packed, size)).equals(content)).toBe(true)
  })

  it.skipIf(packing === 'none')('fails if it is truncated at any byte', async () => {
    // Fewer bytes are not recognised.
    const bytesMin = packing === 'gzip' ? 2 : 4
    for (let length = bytesMin; length < packed.length; length++) {
      const outcome = await unpackAll(packed.subarray(0, length)).then(
        () => 'whole',
        () => 'failed',
      )
      expect({ length, outcome }).toEqual({ length, outcome: 'failed' })
    }
  })

  it('closes its file when its reader is destroyed', async () => {
    const file = new Readable({ read() {} })
    file.push(packed.subarray(0, 10))
    const { stream: last } = await unpack(join(file, new Meter()))
    const closed = new Promise((resolve) => file.once('close', resolve))
    last.destroy()
    await closed
    expect(file.destroyed).toBe(true)
  })

  it('fails with the error of its file', async () => {
    const file = new Readable({ read() {} })
    file.push(packed.subarray(0, 10))
    const all = buffer((await unpack(join(file, new Meter()))).stream)
    file.destroy(new Error('the disk is gone'))
    await expect(all).rejects.toThrow('the disk is gone')
  })
})

it('several gzip members are one file', async () => {
  const packed = Buffer.concat([gzipSync(content), gzipSync(content)])
  for (const size of [1, packed.length]) {
    expect((await unpackAll(packed, size)).equals(Buffer.concat([content, content]))).toBe(true)
  }
})

it('data after a zstd frame is refused or unpacked, never ignored', async () => {
  const frame = zstdCompressSync(content)
  const two = Buffer.concat([frame, frame])
  // A second member that begins with a chunk is unpacked like the first.
  expect((await unpackAll(two, frame.length)).equals(Buffer.concat([content, content]))).toBe(true)
  await expect(unpackAll(two)).rejects.toThrow('several zstd frames')
  for (let length = frame.length + 1; length < two.length; length++) {
    for (const size of [1, 7, frame.length, length])
      await expect(unpackAll(two.subarray(0, length), size)).rejects.toThrow()
  }
  for (const more of ['x', '\0\0\0', 'more than a few bytes']) {
    const packed = Buffer.concat([frame, Buffer.from(more)])
    for (const size of [1, 7, frame.length, packed.length]) await expect(unpackAll(packed, size)).rejects.toThrow()
  }
})

it('damaged packed data fail', async () => {
  for (const packed of [gzipSync(content), zstdCompressSync(content)]) {
    const damaged = Buffer.from(packed)
    damaged[packed.length - 5]! ^= 0xff
    await expect(unpackAll(damaged)).rejects.toThrow()
  }
})

it('a meter counts and hashes packed bytes', async () => {
  const packed = gzipSync(content)
  const meter = new Meter()
  await buffer((await unpack(join(cut(packed, 9), meter))).stream)
  expect(meter.bytes).toBe(packed.length)
  expect(meter.digest()).toBe(createHash('sha256').update(packed).digest('hex'))
})

describe('peek', () => {
  const content = Buffer.from(Array.from({ length: 5_000 }, (_, index) => index % 251))
  const chunksOf = (size: number): Buffer[] =>
    Array.from({ length: Math.ceil(content.length / size) }, (_, index) =>
      content.subarray(index * size, (index + 1) * size),
    )

  it.each([0, 1, 4, 1_000, 4_999, 5_000, 5_001, 100_000])(
    'returns a stream with all bytes: %i of 5,000',
    async (bytes) => {
      for (const size of [1, 7, 1_000, 5_000]) {
        const { head, stream } = await peek(Readable.from(chunksOf(size), { objectMode: false }), bytes)
        expect(head.length).toBeGreaterThanOrEqual(Math.min(bytes, content.length))
        expect(content.subarray(0, head.length).equals(head)).toBe(true)
        expect((await buffer(stream)).equals(content)).toBe(true)
      }
    },
  )

  it('accepts an empty stream', async () => {
    const { head, stream } = await peek(Readable.from([], { objectMode: false }), 4)
    expect(head.length).toBe(0)
    expect((await buffer(stream)).length).toBe(0)
  })

  it('works twice in a row, and on text behind a meter', async () => {
    const meter = new Meter()
    const first = await peek(join(Readable.from(['ab', 'cé', '😀']), meter), 3)
    const second = await peek(first.stream, 6)
    expect(String(await buffer(second.stream))).toBe('abcé😀')
    expect(meter.bytes).toBe(9)
    expect(meter.digest()).toMatch(/^[0-9a-f]{64}$/)
  })

  it('passes errors on, before and after the first bytes', async () => {
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

  it('closes the file when its reader is destroyed', async () => {
    const file = Readable.from(chunksOf(10), { objectMode: false })
    const { stream } = await peek(file, 100)
    const closed = new Promise((resolve) => file.once('close', resolve))
    stream.once('data', () => stream.destroy())
    await closed
    expect(file.destroyed).toBe(true)
  })
})
