/** Makes random choices from a seed and an index, so that one request of a run can be repeated alone. */
export type Chance = {
  /** A number from 0 up to, but not including, 1. */
  next(): number
  below(count: number): number
  pick<Item>(items: readonly Item[]): Item
  happens(probability: number): boolean
}

export function chanceFor(seed: number, index: number): Chance {
  let state = (seed ^ Math.imul(index + 1, 0x9e37_79b1)) >>> 0
  // mulberry32: small, fast, and random enough.
  const next = (): number => {
    state = (state + 0x6d2b_79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (count: number): number => Math.floor(next() * count)
  return {
    next,
    below,
    pick: (items) => items[below(items.length)]!,
    happens: (probability) => next() < probability,
  }
}
