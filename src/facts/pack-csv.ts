import { createHash } from 'node:crypto'
import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createGzip } from 'node:zlib'
import type { MadeCsv } from './facts.ts'

/** The compressor takes a fourth longer with smaller pieces. */
const pieceBytes = 256 * 1024

/** Large enough to cost no compression, and small enough that its last byte is unpacked in some ten milliseconds. */
const blockBytes = 16 * pieceBytes

/** The next levels take twice the time for a tenth of the size. The compressor works while the next pieces arrive. */
const gzipOptions = { level: 1, chunkSize: pieceBytes, writableHighWaterMark: 8 * pieceBytes }

/** The header of a gzip file as Node writes it, without a name. */
export const gzipHeaderBytes = 10

const quote = 0x22
const lineFeed = 0x0a

/**
 * Compresses CSV into the target, and measures it on the way. The target is one ordinary gzip file, in which every block
 * is compressed independently of those before it, so that unpacking can begin at any of them.
 */
export async function packCsv(source: Readable, target: Writable, signal: AbortSignal): Promise<MadeCsv> {
  const meter = new CsvMeter()
  const gzip = createGzip(gzipOptions)
  // Without what is still in the compressor, which is in `readableLength`.
  let packedBytes = 0
  gzip.on('data', (packed: Buffer) => (packedBytes += packed.length))
  const closed = new Promise((resolve) => gzip.once('close', resolve))
  const starts = [gzipHeaderBytes]

  async function* cutBlocks(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let bytes = 0
    for await (const piece of pieces) {
      meter.add(piece)
      yield piece
      bytes += piece.length
      if (bytes % blockBytes > 0) continue
      const flushed = new Promise<void>((resolve) => gzip.flush(constants.Z_FULL_FLUSH, resolve))
      // A compressor that is destroyed half-way never reports a flush.
      await Promise.race([flushed, closed])
      starts.push(packedBytes + gzip.readableLength)
    }
  }
  await pipeline(source, cutPieces, cutBlocks, gzip, target, { signal })
  return { ...meter.result(), blocks: writeBlocks({ blockBytes, starts }) }
}

/** Cuts pieces of the same length; the last one is shorter. */
async function* cutPieces(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let piece = Buffer.allocUnsafe(pieceBytes)
  let filled = 0
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length;) {
      const copied = chunk.copy(piece, filled, at)
      at += copied
      filled += copied
      if (filled < pieceBytes) continue
      yield piece
      piece = Buffer.allocUnsafe(pieceBytes)
      filled = 0
    }
  }
  if (filled > 0) yield piece.subarray(0, filled)
}

/**
 * Measures the bytes, the rows without the header, and the checksum of CSV. A line feed between quotes ends no row; quotes
 * within quotes are doubled, so counting them modulo two is enough.
 */
export class CsvMeter {
  readonly #hash = createHash('sha256')
  #bytes = 0
  #lines = 0
  #isQuoted = false

  add(chunk: Buffer): void {
    this.#bytes += chunk.length
    this.#hash.update(chunk)
    // Local variables are faster than private fields.
    let isQuoted = this.#isQuoted
    let lines = 0
    for (let index = 0; index < chunk.length; index++) {
      const byte = chunk[index]
      if (byte === quote) isQuoted = !isQuoted
      else if (byte === lineFeed && !isQuoted) lines++
    }
    this.#isQuoted = isQuoted
    this.#lines += lines
  }

  /** Call it once, at the end. */
  result(): Omit<MadeCsv, 'blocks'> {
    return { rows: Math.max(0, this.#lines - 1), bytes: this.#bytes, checksum: this.#hash.digest('hex') }
  }
}

/** The positions of the blocks of a compressed CSV. All hold `blockBytes` of CSV, except the last. */
export type PackedBlocks = { readonly blockBytes: number; readonly starts: readonly number[] }

/** Writes the compressed sizes in base 36, because a report of 4 GB has a thousand blocks. */
const writeBlocks = ({ blockBytes, starts }: PackedBlocks): string =>
  [blockBytes, ...starts.slice(1).map((start, index) => start - (starts[index] ?? 0))]
    .map((number) => number.toString(36))
    .join(' ')

export function readBlocks(text: string): PackedBlocks {
  const [blockBytes = 0, ...sizes] = text.split(' ').map((number) => Number.parseInt(number, 36))
  const starts = [gzipHeaderBytes]
  for (const size of sizes) starts.push((starts.at(-1) ?? 0) + size)
  return { blockBytes, starts }
}
