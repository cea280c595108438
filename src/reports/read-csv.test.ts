import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { array, assert, asyncProperty, constantFrom, integer, nat, record } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { packCsv } from '../facts/pack-csv.ts'
import { readCsv, sliceBytes } from './read-csv.ts'

const blockBytes = 4 * 1024 * 1024
const never = new AbortController().signal

/** Rows of which no two stretches are alike, so that a byte from the wrong place shows. */
const rows = Buffer.concat(
  Array.from({ length: 900_000 }, (_, row) =>
    Buffer.from(`2026-11-14,US,${(row * 2_654_435_761) % 4_294_967_296}\r\n`),
  ),
)

async function pack(csv: Buffer, chunkBytes = 65_536) {
  const chunks = Array.from({ length: Math.ceil(csv.length / chunkBytes) }, (_, index) =>
    csv.subarray(index * chunkBytes, (index + 1) * chunkBytes),
  )
  const target = new PassThrough()
  const [made, file] = await Promise.all([packCsv(Readable.from(chunks), target, never), buffer(target)])
  return { made, file }
}

describe('a packed report', () => {
  it('gives every range exactly, whatever its size, and is one gzip file', async () => {
    const sizes = record({ blocks: integer({ min: 0, max: 4 }), more: constantFrom(-7, -1, 0, 1, 30, 1_000_000) })
    const ranges = array(record({ at: nat(), length: nat({ max: 2 ** 23 }), isAtBorder: constantFrom(true, false) }), {
      minLength: 20,
      maxLength: 20,
    })
    const chunks = constantFrom(1_000, 65_536, 5_000_000, 30_000_000)
    await assert(
      asyncProperty(sizes, ranges, chunks, async ({ blocks, more }, asked, chunkBytes) => {
        const csv = rows.subarray(0, Math.max(1, blocks * blockBytes + more))
        const { made, file } = await pack(csv, chunkBytes)
        expect(made.bytes).toBe(csv.length)
        expect(gunzipSync(file).equals(csv)).toBe(true)
        const report = {
          size: file.length,
          blocks: made.blocks,
          read: ({ start, end }: { start: number; end: number }) => Readable.from([file.subarray(start, end + 1)]),
        }
        for (const { at, length, isAtBorder } of asked) {
          const near = isAtBorder ? (at % (blocks + 1)) * blockBytes + (at % 3) - 1 : at
          const start = Math.max(0, near) % csv.length
          const end = Math.min(start + length, csv.length - 1)
          const bytes = await buffer(readCsv(report, { start, end }))
          expect(bytes.equals(csv.subarray(start, end + 1)), `${start} to ${end} of ${csv.length}`).toBe(true)
        }
      }),
      { numRuns: 6 },
    )
  })

  it('is unpacked by gzip and by Python', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'adcube-pack-'))
    const path = join(folder, 'report.csv.gz')
    const { file } = await pack(rows)
    await writeFile(path, file)
    const run = async (command: string, args: readonly string[]): Promise<boolean> => {
      const options = { encoding: 'buffer', maxBuffer: 2 * rows.length } as const
      const { stdout } = await promisify(execFile)(command, [...args, path], options)
      return stdout.equals(rows)
    }
    expect(await run('gzip', ['-dc'])).toBe(true)
    const python = 'import gzip, shutil, sys; shutil.copyfileobj(gzip.open(sys.argv[1]), sys.stdout.buffer)'
    expect(await run('python3', ['-c', python])).toBe(true)
    await rm(folder, { recursive: true })
  })

  it('that is damaged or cut short is an error, never fewer bytes', async () => {
    const { made, file } = await pack(rows)
    const readFrom = (stored: Buffer) =>
      buffer(
        readCsv(
          {
            size: file.length,
            blocks: made.blocks,
            read: ({ start, end }) => Readable.from([stored.subarray(start, end + 1)]),
          },
          { start: 5_000_000, end: rows.length - 1 },
        ),
      )
    await expect(readFrom(file.subarray(0, file.length - 1_000))).rejects.toThrow()
    const damaged = Buffer.from(file)
    damaged.fill(0xff, file.length / 2, file.length / 2 + 100)
    await expect(readFrom(damaged)).rejects.toThrow()
  })

  it('ends at once when it is told to stop, even if nobody takes what has been packed', async () => {
    const stop = new AbortController()
    const endless = Readable.from(
      (function* () {
        for (;;) yield rows
      })(),
    )
    const packed = packCsv(endless, new PassThrough(), stop.signal)
    setImmediate(() => stop.abort())
    await expect(packed).rejects.toMatchObject({ name: 'AbortError' })
  })
})

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
