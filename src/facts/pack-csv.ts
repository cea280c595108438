import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createGzip } from 'node:zlib'
import { CsvMeter } from './csv-meter.ts'
import type { MadeCsv } from './facts.ts'
import { gzipHeaderBytes, writeBlocks } from './packed-blocks.ts'

/** What is handed to the compressor at once: in smaller pieces it takes a fourth longer. */
const pieceBytes = 256 * 1024

/** Large enough that starting afresh costs no size, small enough that its last byte is reached in some ten milliseconds. */
const blockBytes = 16 * pieceBytes

/** The fastest level: the next ones cost twice the time for a tenth of the size. It works while the next pieces arrive. */
const gzipOptions = { level: 1, chunkSize: pieceBytes, writableHighWaterMark: 8 * pieceBytes }

/**
 * Compresses CSV on its way into the target, and measures it in the same pass. The target is one ordinary gzip file, in
 * which every block of CSV is compressed without regard to those before it, so that unpacking can begin at any of them.
 * Memory does not grow with its size.
 */
export async function packCsv(source: Readable, target: Writable, signal: AbortSignal): Promise<MadeCsv> {
  const meter = new CsvMeter()
  const gzip = createGzip(gzipOptions)
  // What has left it; what it still holds is in `readableLength`.
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
      // One that is destroyed half-way never says that it has flushed.
      await Promise.race([flushed, closed])
      starts.push(packedBytes + gzip.readableLength)
    }
  }
  await pipeline(source, cutPieces, cutBlocks, gzip, target, { signal })
  const blocks = writeBlocks({ blockBytes, starts })
  return { rows: meter.rows, bytes: meter.bytes, checksum: meter.digest(), blocks }
}

/** Pieces of the same length, but for the last. */
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
