/** By nearest rank, so that every figure is one that was measured. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

export const median = (values: readonly number[]): number => quantile(values, 0.5)

/** Asks, and returns the milliseconds until the answer. */
export type Side = () => Promise<number>

type Bounds = { readonly seconds: number; readonly samples: number }

const pairsMin = 5

/**
 * Asks two sides in turn, one request at a time, so that whatever else the machine does affects both. Who is first
 * alternates, because the second one may find warmer caches.
 */
export async function alternate(sides: readonly [Side, Side], { seconds, samples }: Bounds) {
  const taken: [number[], number[]] = [[], []]
  const endAt = performance.now() + seconds * 1_000
  for (let pair = 0; pair < samples && (pair < pairsMin || performance.now() < endAt); pair++) {
    for (const side of pair % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) taken[side].push(await sides[side]())
  }
  return taken
}

/** Clients that ask the sides in turn, each as soon as it has an answer; returns how long each answer took. */
export async function askFor(
  sides: readonly Side[],
  { clients, seconds }: { readonly clients: number; readonly seconds: number },
): Promise<readonly number[]> {
  const endAt = performance.now() + seconds * 1_000
  const taken: number[] = []
  let next = 0
  const work = async (): Promise<void> => {
    while (performance.now() < endAt) taken.push(await sides[next++ % sides.length]!())
  }
  await Promise.all(Array.from({ length: clients }, work))
  return taken
}
