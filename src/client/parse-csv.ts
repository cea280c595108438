const [quote, comma, lineFeed, carriageReturn] = [0x22, 0x2c, 0x0a, 0x0d]

/** Cuts CSV as Adcube writes it (RFC 4180, lines end with CR and LF) into rows, wherever its text is cut. */
export class CsvRows {
  #row: string[] = []
  /** What has been read of a field, without its outer quotes. */
  #field = ''
  #isQuoted = false
  /** Whether the last sign ended a quoted part. If the next is a quote too, the two of them stand for one. */
  #hasEnded = false

  /** The rows that end in this text. */
  add(text: string): readonly (readonly string[])[] {
    const rows: (readonly string[])[] = []
    let from = 0
    for (let at = 0; at < text.length; at++) {
      const sign = text.charCodeAt(at)
      const hadEnded = this.#hasEnded
      this.#hasEnded = false
      if (sign !== quote && (this.#isQuoted || (sign !== comma && sign !== lineFeed && sign !== carriageReturn)))
        continue
      this.#field += text.slice(from, at)
      from = at + 1
      if (sign === quote) {
        if (hadEnded) this.#field += '"'
        this.#hasEnded = this.#isQuoted
        this.#isQuoted = !this.#isQuoted
      } else if (sign !== carriageReturn) {
        this.#row.push(this.#field)
        this.#field = ''
        if (sign === comma) continue
        rows.push(this.#row)
        this.#row = []
      }
    }
    this.#field += text.slice(from)
    return rows
  }
}
