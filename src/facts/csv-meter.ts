import { createHash } from 'node:crypto'

const quote = 0x22
const lineFeed = 0x0a

/**
 * Measures CSV as it goes by: its bytes, its rows without the header, and a checksum. A line feed ends a row unless it
 * stands between quotes; a quote within quotes is doubled, so it is enough to know whether their number is odd.
 */
export class CsvMeter {
  readonly #hash = createHash('sha256')
  #bytes = 0
  #lines = 0
  #isQuoted = false

  add(chunk: Buffer): void {
    this.#bytes += chunk.length
    this.#hash.update(chunk)
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

  get rows(): number {
    return Math.max(0, this.#lines - 1)
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Once, at the end. */
  digest(): string {
    return this.#hash.digest('hex')
  }
}
