import { createHash } from 'node:crypto'
import { pipeline, Readable, Transform } from 'node:stream'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import { UnreadableFile } from './load-refused.ts'

/** Counts and hashes the bytes that pass through. */
export class Meter extends Transform {
  readonly #hash = createHash('sha256')
  readonly #onBytes: (bytes: number) => void
  bytes = 0

  constructor(onBytes: (bytes: number) => void = () => {}) {
    super()
    this.#onBytes = onBytes
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: (error: null, chunk: Buffer) => void): void {
    this.bytes += chunk.length
    this.#hash.update(chunk)
    this.#onBytes(this.bytes)
    done(null, chunk)
  }

  /** Can be called once, at the end. */
  digest(): string {
    return this.#hash.digest('hex')
  }
}

/** Connects two streams. If one fails or is destroyed, so is the other, with the same error. */
export function join<Next extends Transform>(from: Readable, to: Next): Next {
  // The reader of the last stream gets the error.
  pipeline(from, to, () => {})
  return to
}

/** With the default of 16 KB, passing chunks around takes longer than unpacking. */
const pieces = { chunkSize: 256 * 1024 }

/** Unpacks gzip and zstd, recognised by their first bytes. A truncated stream fails, although DuckDB would accept some. */
export async function unpack(packed: Readable): Promise<{ readonly isPacked: boolean; readonly stream: Readable }> {
  const { head, stream } = await peek(packed, 4)
  if (head.length >= 2 && head.readUInt16BE(0) === 0x1f8b) {
    return { isPacked: true, stream: join(stream, createGunzip(pieces)) }
  }
  if (head.length < 4 || head.readUInt32LE(0) !== 0xfd2fb528) return { isPacked: false, stream }
  const unpacker = createZstdDecompress(pieces)
  let fed = 0
  stream.on('data', (chunk: Buffer) => void (fed += chunk.length))
  // The decompressor ignores what follows a frame.
  const complete = new Transform({
    transform: (chunk: Buffer, _encoding, done) => done(null, chunk),
    flush: (done) => done(unpacker.bytesWritten === fed ? null : new UnreadableFile(severalFrames)),
  })
  return { isPacked: true, stream: join(join(stream, unpacker), complete) }
}

const severalFrames = 'it holds several zstd frames, or something after the first; pack it again as one'

/** Reads the first bytes of a stream, and returns them with a stream that still has them. */
export async function peek(stream: Readable, bytes: number) {
  const iterator = stream.iterator() as AsyncGenerator<Buffer>
  const chunks: Buffer[] = []
  let length = 0
  while (length < bytes) {
    const { done, value } = await iterator.next()
    if (done) break
    chunks.push(value)
    length += value.length
  }
  const head = Buffer.concat(chunks)
  const all = async function* (): AsyncGenerator<Buffer> {
    if (head.length > 0) yield head
    yield* iterator
  }
  // Not in the generator: if the reader goes before the first chunk, it never runs.
  const rest = Readable.from(all(), { objectMode: false }).once('close', () => stream.destroy())
  return { head, stream: rest }
}
