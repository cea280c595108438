/** Returns a percentile by nearest rank, so that it is a measured value. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? NaN
}

export const median = (values: readonly number[]): number => quantile(values, 0.5)

/** Returns the 99th percentile, or NaN if there are fewer than 100 samples. */
export const p99 = (values: readonly number[]): number => (values.length < 100 ? NaN : quantile(values, 0.99))

/** Returns the milliseconds until the answer. */
export type Ask = () => Promise<number>

type Bounds = { readonly seconds: number; readonly roundsMin: number }

/**
 * Measures several sides in turn, one at a time, so that other work on the machine affects all of them. The order
 * changes, because a later side may find warmer caches.
 */
export async function alternate(sides: readonly Ask[], { seconds, roundsMin }: Bounds): Promise<number[][]> {
  const taken: number[][] = sides.map(() => [])
  const endAt = performance.now() + seconds * 1_000
  for (let round = 0; round < roundsMin || performance.now() < endAt; round++) {
    for (let turn = 0; turn < sides.length; turn++) {
      const side = (round + turn) % sides.length
      taken[side]!.push(await sides[side]!())
    }
  }
  return taken
}
