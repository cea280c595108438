import { setTimeout as delay } from 'node:timers/promises'

const pauseMsMin = 200
const pauseMsMax = 5_000
/** One that has run for this long was no failed start. */
const healthyMsMin = 10_000

type Options = {
  /** How long the one that has ended had lived. */
  readonly livedMs: number
  readonly signal: AbortSignal
  readonly onFailure: (error: unknown) => void
}

/**
 * Starts again what has ended. One that has lived for a while starts again at once; one that dies again and again waits
 * longer and longer.
 */
export class Restarter {
  #pauseMs = 0

  /** Tries until it succeeds; undefined where the signal is given before. */
  async restart<Started>(
    start: () => Promise<Started>,
    { livedMs, signal, onFailure }: Options,
  ): Promise<Started | undefined> {
    if (livedMs > healthyMsMin) this.#pauseMs = 0
    while (!signal.aborted) {
      await delay(this.#pauseMs, undefined, { signal }).catch(() => {})
      if (signal.aborted) return undefined
      this.#pauseMs = Math.min(Math.max(pauseMsMin, 2 * this.#pauseMs), pauseMsMax)
      try {
        return await start()
      } catch (error) {
        if (!signal.aborted) onFailure(error)
      }
    }
    return undefined
  }
}
