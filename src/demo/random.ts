/**
 * Chance that repeats itself: the same seed gives the same draws on every machine, so the sample data can be made again
 * at any time, one day at a time and in any order.
 */

/** Spreads the 32 bits of a number evenly, and never maps two numbers to the same one. */
export function scatter(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}

export function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return scatter(hash)
}

/** Eight hexadecimal digits: short, and free of anything that CSV would have to quote. */
export const hex = (value: number): string => (value >>> 0).toString(16).padStart(8, '0')

/** Exponential draws come from a table, because a logarithm for each would cost more than the rest of the row. */
const exponentialBits = 10
const exponentials = Float64Array.from(
  { length: 2 ** exponentialBits },
  (_, index) => -Math.log((index + 0.5) / 2 ** exponentialBits),
)

/** The mulberry32 generator. */
export class Random {
  #state: number

  constructor(seed: string) {
    this.#state = hashOf(seed)
  }

  /** A whole number of that many random bits, 1 to 30: always small enough for V8 to keep it off the heap. */
  bits(count: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> (32 - count)
  }

  /** At least 0 and below 1. */
  unit(): number {
    return this.bits(30) / 2 ** 30
  }

  /** Above 0, 1 on average, seldom above 4. */
  exponential(): number {
    return exponentials[this.bits(exponentialBits)]!
  }

  between(low: number, high: number): number {
    return low + (high - low) * this.unit()
  }

  /** Up or down by chance, so that the mean survives: 0.2 clicks become one click in every fifth row. */
  round(value: number): number {
    return Math.floor(value + this.unit())
  }
}

const slotBits = 12

/** Draws items in proportion to their weights with one look into a table of slots. */
export class Lottery<T> {
  readonly items: readonly T[]
  #slots: Uint16Array

  constructor(items: readonly T[], weights: readonly number[] | Uint16Array) {
    this.items = items
    this.#slots = weights instanceof Uint16Array ? weights : slotsOf(weights)
  }

  /** Other items in the place of these, drawn as often. */
  map<U>(change: (item: T) => U): Lottery<U> {
    return new Lottery(this.items.map(change), this.#slots)
  }

  pick(random: Random): T {
    return this.items[this.#slots[random.bits(slotBits)]!]!
  }
}

function slotsOf(weights: readonly number[]): Uint16Array {
  const total = sumOf(weights)
  const slots = new Uint16Array(2 ** slotBits)
  let reached = 0
  let from = 0
  weights.forEach((weight, index) => {
    reached += weight
    const to = Math.round((reached / total) * 2 ** slotBits)
    slots.fill(index, from, to)
    from = to
  })
  return slots
}

export const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0)

/** Weights of which few are large and many are small, largest first. */
export const zipf = (length: number, exponent: number): readonly number[] =>
  Array.from({ length }, (_, index) => 1 / (index + 1) ** exponent)

export const zipfLottery = <T>(items: readonly T[], exponent: number): Lottery<T> =>
  new Lottery(items, zipf(items.length, exponent))
