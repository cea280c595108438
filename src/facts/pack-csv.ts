import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createGzip } from 'node:zlib'
import { CsvMeter } from './csv-meter.ts'
import type { MadeCsv } from './facts.ts'
import { gzipHeaderBytes, writeBlocks } from './packed-blocks.ts'

/** Large enough that starting afresh costs no size, small enough that its last byte is reached in some ten milliseconds. */
const blockBytes = 4 * 1024 * 1024

/** The fastest level: the next ones cost twice the time for a tenth of the size. Large pieces save going to and fro. */
const gzipOptions = { level: 1, chunkSize: 256 * 1024 }

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

  async function* cutBlocks(csv: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let room = blockBytes
    for await (const chunk of csv) {
      meter.add(chunk)
      for (let at = 0; at < chunk.length;) {
        const piece = chunk.subarray(at, at + room)
        yield piece
        at += piece.length
        room -= piece.length
        if (room > 0) continue
        const flushed = new Promise<void>((resolve) => gzip.flush(constants.Z_FULL_FLUSH, resolve))
        // One that is destroyed half-way never says that it has flushed.
        await Promise.race([flushed, closed])
        starts.push(packedBytes + gzip.readableLength)
        room = blockBytes
      }
    }
  }
  await pipeline(source, cutBlocks, gzip, target, { signal })
  const blocks = writeBlocks({ blockBytes, starts })
  return { rows: meter.rows, bytes: meter.bytes, checksum: meter.digest(), blocks }
}
