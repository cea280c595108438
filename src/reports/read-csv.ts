import { pipeline, Readable } from 'node:stream'
import { constants, createInflateRaw } from 'node:zlib'
import { gzipHeaderBytes, readBlocks } from '../facts/packed-blocks.ts'
import { sliceBytes } from './slice-bytes.ts'

type Range = { readonly start: number; readonly end: number }

/** A report as it is stored: a gzip file, and where its blocks start, which is not known of those of earlier versions. */
export type PackedReport = {
  readonly size: number
  readonly blocks: string | null
  readonly read: (range: Range) => Readable
}

const oneBlock = { blockBytes: Number.MAX_SAFE_INTEGER, starts: [gzipHeaderBytes] }

/**
 * With the usual chunks of 16 KB, going to and fro takes longer than unpacking. And what is read may end with any block,
 * while only the last of all says that it is the last.
 */
const inflateOptions = { chunkSize: 256 * 1024, finishFlush: constants.Z_SYNC_FLUSH }

/** A range of the CSV, both ends included. Reads and unpacks the blocks that hold it, and nothing else. */
export function readCsv({ size, blocks, read }: PackedReport, { start, end }: Range): Readable {
  const { blockBytes, starts } = blocks === null ? oneBlock : readBlocks(blocks)
  const first = Math.floor(start / blockBytes)
  const next = starts[Math.floor(end / blockBytes) + 1] ?? size
  const packed = read({ start: starts[first] ?? size, end: next - 1 })
  // Whatever goes wrong shows where the CSV is read.
  const csv = pipeline(packed, createInflateRaw(inflateOptions), () => {})
  const offset = first * blockBytes
  return Readable.from(sliceBytes(csv, start - offset, end - offset), { objectMode: false })
}
