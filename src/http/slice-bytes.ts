import { Transform, type TransformCallback } from 'node:stream'

/** Lets only a stretch of bytes through, both ends included. */
export class SliceBytes extends Transform {
  #position = 0
  readonly #start: number
  readonly #end: number

  constructor(start: number, end: number) {
    super()
    this.#start = start
    this.#end = end
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const from = Math.max(0, this.#start - this.#position)
    const to = Math.min(chunk.length, this.#end + 1 - this.#position)
    this.#position += chunk.length
    if (to > from) this.push(chunk.subarray(from, to))
    done()
  }
}
