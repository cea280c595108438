/** Of a root of a prime, the first 32 bits after the point: where the standard has its constants from. */
const bitsOf = (root: number): number => (root * 2 ** 32) | 0

const primes: number[] = []
for (let number = 2; primes.length < 64; number++) {
  if (primes.every((prime) => number % prime !== 0)) primes.push(number)
}
const constants = Int32Array.from(primes, (prime) => bitsOf(Math.cbrt(prime)))

const blockBytes = 64
const rotate = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits))

/** SHA-256 of bytes as they come (FIPS 180-4). The Web Crypto API wants all of them at once. */
export class Sha256 {
  readonly #state = Int32Array.from(primes.slice(0, 8), (prime) => bitsOf(Math.sqrt(prime)))
  readonly #words = new Int32Array(64)
  readonly #block = new Uint8Array(blockBytes)
  #held = 0
  #bytes = 0

  update(chunk: Uint8Array): void {
    this.#bytes += chunk.length
    let at = 0
    if (this.#held > 0) {
      at = Math.min(blockBytes - this.#held, chunk.length)
      this.#block.set(chunk.subarray(0, at), this.#held)
      this.#held += at
      if (this.#held < blockBytes) return
      this.#mix(this.#block, 0)
      this.#held = 0
    }
    for (; at + blockBytes <= chunk.length; at += blockBytes) this.#mix(chunk, at)
    this.#block.set(chunk.subarray(at))
    this.#held = chunk.length - at
  }

  /** In hexadecimal digits; once, at the end. */
  digest(): string {
    const bits = BigInt(this.#bytes) * 8n
    const padded = new Uint8Array(this.#held < 56 ? 64 - this.#held : 128 - this.#held)
    padded[0] = 0x80
    new DataView(padded.buffer).setBigUint64(padded.length - 8, bits)
    this.update(padded)
    return Array.from(this.#state, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('')
  }

  #mix(bytes: Uint8Array, from: number): void {
    const [words, state] = [this.#words, this.#state]
    for (let i = 0; i < 16; i++) {
      const at = from + i * 4
      words[i] = (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!
    }
    for (let i = 16; i < 64; i++) {
      const [early, late] = [words[i - 15]!, words[i - 2]!]
      const sigma0 = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3)
      const sigma1 = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10)
      words[i] = (words[i - 16]! + sigma0 + words[i - 7]! + sigma1) | 0
    }
    let a = state[0]!
    let b = state[1]!
    let c = state[2]!
    let d = state[3]!
    let e = state[4]!
    let f = state[5]!
    let g = state[6]!
    let h = state[7]!
    for (let i = 0; i < 64; i++) {
      const sum1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
      const first = (h + sum1 + ((e & f) ^ (~e & g)) + constants[i]! + words[i]!) | 0
      const sum0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
      const second = (sum0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
      h = g
      g = f
      f = e
      e = (d + first) | 0
      d = c
      c = b
      b = a
      a = (first + second) | 0
    }
    state[0]! += a
    state[1]! += b
    state[2]! += c
    state[3]! += d
    state[4]! += e
    state[5]! += f
    state[6]! += g
    state[7]! += h
  }
}
