import { setTimeout as delay } from 'node:timers/promises'

/** The minimum between two looks, however often metrics are scraped. */
const defaultFreshMs = 5_000
/** Well below the ten seconds after which Prometheus gives up the whole scrape. */
const lookMsMax = 3_000

/**
 * Returns a function that looks at something and shows the result, or undefined if that fails or takes too long. It looks
 * at most every five seconds, or as given, and never twice at the same time.
 */
export function watch<Seen>(
  look: () => Promise<Seen>,
  show: (seen: Seen | undefined) => void,
  freshMs = defaultFreshMs,
): () => Promise<void> {
  let looking: Promise<true> | undefined
  let freshUntil = -Infinity
  const begin = async (): Promise<true> => {
    try {
      show(await look())
    } catch {
      // The requests that fail for the same reason log it.
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
