/**
 * Writes CSV rows out of fragments: pieces of text, with their commas, that many rows share. Half a gigabyte in pieces
 * of ten bytes is where the time of making sample data goes. Strings, or a small array of bytes for each fragment,
 * cost twice as much as this: all fragments lie in one array of words, and a row is made by copying words. What
 * a last word carries too much is overwritten by the piece that follows. All is ASCII, so a byte is a character.
 */
export class CsvWriter {
  #words = new Int32Array(1 << 16)
  /** Where each fragment begins in the words, and the next one after the last. */
  #offsets = new Int32Array(1 << 14)
  #lengths = new Int32Array(1 << 14)
  #kept = 0

  #bytes = new Uint8Array(1 << 20)
  /** The same memory, for writing words where no word would begin. */
  #view = new DataView(this.#bytes.buffer)
  #length = 0
  #rowStart = 0

  /** Keeps a text for use in any number of rows, and gives the number to use it by. */
  keep(text: string): number {
    const from = this.#offsets[this.#kept]!
    const to = from + Math.ceil(text.length / 4)
    if (to > this.#words.length) this.#words = larger(this.#words)
    if (this.#kept + 1 === this.#offsets.length) {
      this.#offsets = larger(this.#offsets)
      this.#lengths = larger(this.#lengths)
    }
    for (let word = from; word < to; word++) {
      let packed = 0
      // A character past the end is NaN, which counts as 0 here.
      for (let byte = 3; byte >= 0; byte--) packed = (packed << 8) | text.charCodeAt((word - from) * 4 + byte)
      this.#words[word] = packed
    }
    this.#lengths[this.#kept] = text.length
    this.#offsets[this.#kept + 1] = to
    return this.#kept++
  }

  /** Begins a text whose rows all start in the same way. */
  begin(rowStart: string): void {
    this.#length = 0
    this.#rowStart = this.keep(rowStart)
  }

  startRow(): void {
    if (this.#bytes.length - this.#length < rowBytesMax) {
      const bytes = new Uint8Array(this.#bytes.length * 2)
      bytes.set(this.#bytes)
      this.#bytes = bytes
      this.#view = new DataView(bytes.buffer)
    }
    this.fragment(this.#rowStart)
  }

  fragment(kept: number): void {
    const words = this.#words
    const view = this.#view
    const to = this.#offsets[kept + 1]!
    let position = this.#length
    for (let word = this.#offsets[kept]!; word < to; word++, position += 4) view.setInt32(position, words[word]!, true)
    this.#length += this.#lengths[kept]!
  }

  count(value: number): void {
    this.#digits(value, widthOf(value))
    this.#bytes[this.#length++] = comma
  }

  /** Money is counted in millionths until it is written, so that sums and comparisons stay exact. */
  money(micros: number): void {
    const whole = Math.floor(micros / 1e6)
    this.#digits(whole, widthOf(whole))
    this.#bytes[this.#length++] = point
    this.#digits(micros - whole * 1e6, 6)
    this.#bytes[this.#length++] = comma
  }

  /** Eight hexadecimal digits, with a separator in front unless it is the first of its list. */
  device(id: number, first: boolean): void {
    const bytes = this.#bytes
    let length = this.#length
    if (!first) bytes[length++] = semicolon
    for (let shift = 28; shift >= 0; shift -= 4) {
      const digit = (id >>> shift) & 15
      bytes[length++] = digit < 10 ? zero + digit : letterA + digit - 10
    }
    this.#length = length
  }

  endRow(): void {
    this.#bytes[this.#length++] = lineFeed
  }

  /** All rows since the beginning, whose start is then forgotten. */
  take(): string {
    this.#kept = this.#rowStart
    return decoder.decode(this.#bytes.subarray(0, this.#length))
  }

  #digits(value: number, width: number): void {
    const bytes = this.#bytes
    const length = this.#length
    // No count of a row, and no whole amount, reaches 2 ** 31; whole numbers are divided faster.
    let rest = value | 0
    for (let position = length + width - 1; position >= length; position--) {
      const tenth = (rest / 10) | 0
      bytes[position] = zero + rest - tenth * 10
      rest = tenth
    }
    this.#length = length + width
  }
}

function widthOf(value: number): number {
  let width = 1
  for (let power = 10; power <= value; power *= 10) width++
  return width
}

/** No row comes near it. */
const rowBytesMax = 8192
const [comma, point, zero, semicolon, letterA, lineFeed] = [44, 46, 48, 59, 97, 10]
const decoder = new TextDecoder()

function larger(numbers: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const copy = new Int32Array(numbers.length * 2)
  copy.set(numbers)
  return copy
}
