const [quote, comma, lineFeed, carriageReturn] = [0x22, 0x2c, 0x0a, 0x0d]

/** Parses CSV as Adcube writes it (RFC 4180, lines end with CR and LF), in pieces of any size. */
export class CsvRows {
  #row: string[] = []
  /** The field so far, without its outer quotes. */
  #field = ''
  #isQuoted = false
  /** True after a closing quote. If another quote follows, the two of them stand for one. */
  #hasEnded = false

  /** Returns the rows that end in this text. */
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
