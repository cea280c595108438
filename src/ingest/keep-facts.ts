import { setTimeout as delay } from 'node:timers/promises'
import { sweepFacts, type SweepDeps } from './sweep-facts.ts'

const sweepMs = 60_000
const stopMsMax = 1_000

/** Sweeps in the background, once a minute, until it is stopped. */
export function keepFacts(deps: SweepDeps): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const { signal } = stopping
  const work = async (): Promise<void> => {
    for (;;) {
      // First of all a server has better things to do.
      await delay(sweepMs, undefined, { signal }).catch(() => {})
      if (signal.aborted) return
      try {
        await sweepFacts(deps)
      } catch (error) {
        if (!signal.aborted) deps.log.warn({ err: error }, 'facts were not swept; tried again in a minute')
      }
    }
  }
  const done = work()
  return {
    async stop() {
      stopping.abort()
      // What is left is removed by the next one; nobody needs to wait for it.
      await Promise.race([done, delay(stopMsMax)])
    },
  }
}
