import { pipeline, Readable } from 'node:stream'
import { constants, createInflateRaw } from 'node:zlib'
import { gzipHeaderBytes, readBlocks } from '../facts/pack-csv.ts'
import type { ByteRange } from './storage.ts'

/** A stored report: a gzip file and the places where its blocks start, which reports of earlier versions lack. */
export type PackedReport = {
  readonly size: number
  readonly blocks: string | null
  readonly read: (range: ByteRange) => Readable
}

const oneBlock = { blockBytes: Number.MAX_SAFE_INTEGER, starts: [gzipHeaderBytes] }

/**
 * Chunks of 16 KB, the default, cost more time than unpacking itself. Z_SYNC_FLUSH, because a range may end with any block
 * and only the last block of the file is marked as the last.
 */
const inflateOptions = { chunkSize: 256 * 1024, finishFlush: constants.Z_SYNC_FLUSH }

/** Reads a range of the CSV, both ends included. Only the blocks that hold it are read and unpacked. */
export function readCsv({ size, blocks, read }: PackedReport, { start, end }: ByteRange): Readable {
  const { blockBytes, starts } = blocks === null ? oneBlock : readBlocks(blocks)
  const first = Math.floor(start / blockBytes)
  const next = starts[Math.floor(end / blockBytes) + 1] ?? size
  const packed = read({ start: starts[first] ?? size, end: next - 1 })
  // Errors reach whoever reads the CSV.
  const csv = pipeline(packed, createInflateRaw(inflateOptions), () => {})
  const offset = first * blockBytes
  return Readable.from(sliceBytes(csv, start - offset, end - offset), { objectMode: false })
}

/** Cuts a range out of bytes, both ends included. Reads no further than its end, and fails if the bytes end before it. */
export async function* sliceBytes(source: AsyncIterable<Buffer>, start: number, end: number): AsyncGenerator<Buffer> {
  let position = 0
  for await (const chunk of source) {
    const from = Math.max(0, start - position)
    const to = Math.min(chunk.length, end + 1 - position)
    if (to > from) yield chunk.subarray(from, to)
    position += chunk.length
    if (position > end) return
  }
  throw new Error(`the bytes ended at ${position}, before ${end}`)
}
