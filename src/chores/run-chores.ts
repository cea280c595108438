import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { isStoreFull } from '../store/errors.ts'
import { tryLease } from '../store/hold-lease.ts'
import type { Store } from '../store/open-store.ts'
import type { WriteWatch } from '../store/write-watch.ts'

/** Work that one process at a time does for all that share the control data. */
export type Chore = {
  /** The name in the log and the metrics. */
  readonly name: string
  /** The name of the lease, if it is another one. */
  readonly lease?: string
  readonly everyMs: number
  /** Calls `throwIfOver` before each step. It throws if the process stops or another may have taken over. */
  readonly run: (throwIfOver: () => void) => Promise<void>
}

type Deps = {
  readonly store: Store
  readonly log: Logger
  readonly now: () => number
  readonly writes?: WriteWatch
  /** Called when a chore has failed. */
  readonly onChoreFailed?: ((name: string) => void) | undefined
}

/** The longest pause before the first run, so that chores do not compete with startup, and after a failure. */
const pauseMsMax = 60_000
const stopMsMax = 1_000

/** Runs chores in the background, each at its own pace, until they are stopped. */
export function runChores(deps: Deps, chores: readonly Chore[]): { stop(): Promise<void> } {
  const { store, log, now, writes, onChoreFailed } = deps
  const stopping = new AbortController()
  const { signal } = stopping

  const repeat = async ({ name, lease = name, everyMs, run }: Chore): Promise<void> => {
    let pauseMs = Math.min(pauseMsMax, everyMs)
    for (;;) {
      await delay(pauseMs, undefined, { signal }).catch(() => {})
      if (signal.aborted) return
      try {
        await tryLease(store, lease, { signal, now }, ({ throwIfOver }) => run(throwIfOver))
        pauseMs = everyMs
      } catch (error) {
        pauseMs = Math.min(pauseMsMax, everyMs)
        if (signal.aborted) return
        log.warn({ err: error, chore: name }, 'chore failed; retrying')
        onChoreFailed?.(name)
        if (isStoreFull(error)) writes?.noteFailure()
      }
    }
  }
  const done = Promise.all(chores.map(repeat))
  return {
    async stop() {
      stopping.abort(new Error('the process stops'))
      // A longer step ends with the process. Its lease is kept, so that no other process begins meanwhile.
      await Promise.race([done, delay(stopMsMax, undefined, { ref: false })])
    },
  }
}
