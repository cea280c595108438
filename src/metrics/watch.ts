import { setTimeout as delay } from 'node:timers/promises'

/** However often it is scraped, the database is asked no more often than this. */
const freshMs = 5_000
/** Prometheus gives up after ten seconds. What does not answer sooner is shown as away, and the rest as it is. */
const lookMsMax = 3_000

/**
 * Looks at something when asked, seldom and never twice at once, and shows what it has seen: undefined where it failed
 * or takes too long.
 */
export function watch<Seen>(look: () => Promise<Seen>, show: (seen: Seen | undefined) => void): () => Promise<void> {
  let looking: Promise<true> | undefined
  let freshUntil = -Infinity
  const begin = async (): Promise<true> => {
    try {
      show(await look())
    } catch {
      // Why is logged where it matters.
      show(undefined)
    }
    freshUntil = performance.now() + freshMs
    looking = undefined
    return true
  }
  return async () => {
    if (performance.now() < freshUntil) return
    looking ??= begin()
    if (!(await Promise.race([looking, delay(lookMsMax, false, { ref: false })]))) show(undefined)
  }
}
