import { createHash } from 'node:crypto'
import { pipeline, Transform, type Readable } from 'node:stream'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import { UnreadableFile } from './load-refused.ts'

type Packing = 'gzip' | 'zstd' | 'none'

export const packingOf = (head: Buffer): Packing => {
  if (head.length >= 2 && head[0] === 0x1f && head[1] === 0x8b) return 'gzip'
  return head.length >= 4 && head.readUInt32LE(0) === 0xfd2fb528 ? 'zstd' : 'none'
}

/** Counts and sums what goes by. */
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

  /** Once, at the end. */
  digest(): string {
    return this.#hash.digest('hex')
  }
}

/** Sends one stream into another. What breaks or ends one of them ends the other, with the same error. */
export function join<Next extends Transform>(from: Readable, to: Next): Next {
  // The error is heard at the end of the chain.
  pipeline(from, to, () => {})
  return to
}

/** Large ones: with the usual 16 KB, going to and fro takes longer than unpacking. */
const pieces = { chunkSize: 256 * 1024 }

/** Unpacks what is packed. A stream that was cut short fails: here, because the engine takes some for whole. */
export function unpack(packed: Readable, packing: Packing): Readable {
  if (packing === 'none') return packed
  if (packing === 'gzip') return join(packed, createGunzip(pieces))
  const unpacker = createZstdDecompress(pieces)
  let fed = 0
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      fed += chunk.length
      done(null, chunk)
    },
  })
  // What stands behind the end of a frame would be left out in silence.
  const whole = new Transform({
    transform: (chunk: Buffer, _encoding, done) => done(null, chunk),
    flush: (done) => done(unpacker.bytesWritten === fed ? null : new UnreadableFile(severalFrames)),
  })
  return join(join(join(packed, counted), unpacker), whole)
}

const severalFrames = 'it holds several zstd frames, or something after the first; pack it again as one'
